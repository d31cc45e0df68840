"use strict";
const list = document.getElementById("list");
const cards = [...list.children];
const search = document.getElementById("search");
const sort = document.getElementById("sort");
const sure = document.getElementById("sure");
const count = document.getElementById("count");
const nobody = document.getElementById("nobody");
const types = [...document.querySelectorAll("[data-filter]")];
const words = new Map(cards.map((card) => [card, card.textContent.toLowerCase()]));

function show() {
  const wanted = search.value.toLowerCase().split(/\s+/).filter(Boolean);
  const chosen = types.filter((chip) => chip.getAttribute("aria-pressed") === "true").map((chip) => chip.dataset.filter);
  let shown = 0;
  for (const card of cards) {
    const fits = wanted.every((word) => words.get(card).includes(word))
      && (!chosen.length || chosen.includes(card.dataset.type)) && (!sure.value || card.dataset.sure === sure.value);
    card.hidden = !fits;
    shown += fits;
  }
  count.textContent = shown === cards.length ? "" : `${shown.toLocaleString("en")} of ${cards.length.toLocaleString("en")} shown`;
  nobody.hidden = shown > 0;
}

function order() {
  const by = sort.value;
  const name = new Intl.Collator("en");
  const key = (card) => card.dataset[by] || "";
  const compare = {
    name: (a, b) => name.compare(key(a), key(b)),
    first: (a, b) => (key(a) || "9999").localeCompare(key(b) || "9999"),
  }[by] || ((a, b) => Number(key(b)) - Number(key(a)));
  list.append(...cards.toSorted((a, b) => compare(a, b) || Number(a.dataset.number) - Number(b.dataset.number)));
}

function open(link) {
  const shown = document.getElementById(link.hash.slice(1));
  const whose = link.closest("article")?.id;
  for (const mention of shown.querySelectorAll(".x-mention")) mention.classList.toggle("x-this", mention.hash === `#${whose}`);
  shown.showModal();
  (shown.querySelector(".x-this") || shown).scrollIntoView({ block: "center" });
}

search.addEventListener("input", show);
sure.addEventListener("change", show);
sort.addEventListener("change", order);
for (const chip of types) {
  chip.addEventListener("click", () => {
    chip.setAttribute("aria-pressed", String(chip.getAttribute("aria-pressed") !== "true"));
    show();
  });
}
document.addEventListener("click", (event) => {
  const link = event.target.closest("a[href^='#']");
  const dialog = event.target.closest("dialog");
  if (link?.matches(".open")) {
    event.preventDefault();
    open(link);
  } else if (dialog && (link || event.target === dialog || event.target.closest(".close"))) {
    dialog.close();
    if (link) {
      search.value = sure.value = "";
      for (const chip of types) chip.setAttribute("aria-pressed", "false");
      show();
    }
  }
});
document.addEventListener("keydown", (event) => {
  if (event.key === "/" && !event.target.closest("input, select, dialog")) {
    event.preventDefault();
    search.focus();
  }
});
document.getElementById("theme").addEventListener("click", () => {
  const dark = getComputedStyle(document.documentElement).colorScheme === "dark"
    || (!document.documentElement.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
  document.documentElement.dataset.theme = dark ? "light" : "dark";
});
document.getElementById("print").addEventListener("click", () => print());
