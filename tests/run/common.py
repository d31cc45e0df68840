"""People, links and firms that the tests of runs share."""

import json

import numpy as np

from crossdoc.compare.learned import LearnedModel

NAMES = ["Ann Lee", "Bob Lee", "A. Lee", "Cid Ray", "Dora May", "Eve Orr", "Fay Poe", "Gus Roe"]


def people(many=90, seed=0):
    """Profiles of people who share names and have words of their own, and who each is."""
    rng = np.random.default_rng(seed)
    who = rng.integers(0, 12, many)
    rows, text = [], [f"w{n}" for n in range(200)]
    for n, person in enumerate(who):
        own = [text[10 * person + at] for at in rng.integers(0, 10, 6)]
        any_ = [text[at] for at in rng.integers(120, 200, 3)]
        name = NAMES[person % len(NAMES)]
        # Ids are not in the order of the rows: what lies in parts and what is compared have orders of their own.
        rows.append({"id": f"p{37 * n % many:03}", "document": f"d{n // 2}", "name": name, "type": "person",
                     "context": f"{name} {' '.join(own)} {' '.join(any_)}", "language": "en"})  # fmt: skip
    return rows, who


def links(write, **how):
    rows, who = people(**how)
    return write("links.parquet", [{key: row[key] for key in ("id", "name", "context")} for row in rows]), rows, who


def rows_of_answer(answer):
    return sorted(
        zip(*(answer.answer(soft=True).column(c).to_pylist() for c in ("id", "entity", "membership")), strict=True)
    )


CARS, POEMS = "engine race lap pit wheel", "verse spring poem rhyme ode"
PEOPLE = [("Ann Li", CARS), ("Ann Li", CARS), ("Ann Li", POEMS), ("Bo Orr", CARS), ("Bo Orr", POEMS)]
FIRMS = [("Acme", CARS), ("Acme", CARS), ("Acme", POEMS), ("Bolt", POEMS)]


def write(path, records):
    path.write_text("".join(json.dumps(record) + "\n" for record in records))
    return path


class Watching:
    """Writes down what is reported, and stops the run as Ctrl-C does when a stage begins."""

    def __init__(self, stop=None):
        self.stages, self.notes, self.stop = [], [], stop

    def start(self, stage, total=None):
        self.stages.append(stage)
        if stage == self.stop:
            raise KeyboardInterrupt

    def advance(self, steps=1):
        pass

    def note(self, message):
        self.notes.append(message)


def learned(path, **changed):
    LearnedModel.default().model_copy(update=changed).save(path)
    return path


def groups(answer):
    with answer:
        entities = answer.partition.harden().table().to_pylist()
    return {row["id"]: row["entity"] for row in entities}
