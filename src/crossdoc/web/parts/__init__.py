"""Small pieces that pages are made of. What documents and people wrote enters as text, never as HTML."""
