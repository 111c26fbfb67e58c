// Types: a switch for each, saved at once, and the least score.
import { $, api, attempt, notify, number, t } from "./common.js";

const boxes = [...document.querySelectorAll(".types input")];
const main = $("main"), score = document.querySelector("[name=score]");
let saved = [];

function showSaved(set) {
  saved = set.enabled;
  boxes.forEach((box) => {
    box.checked = saved.includes(box.value);
    box.disabled = false;
  });
  $("default").hidden = !set.is_default;
  score.value = set.min_score;
  $("score-shown").textContent = number(set.min_score);
}

async function save(minScore) {
  const enabled = boxes.filter((box) => box.checked).map((box) => box.value);
  if (!enabled.length) {
    boxes.forEach((box) => (box.checked = saved.includes(box.value)));
    notify(t("types.one"));
    return;
  }
  await attempt(main, async () => {
    showSaved(await api("PUT", "/me/entities", minScore === undefined ? { enabled } : { enabled, min_score: minScore }));
    notify(t("saved"));
  });
}

boxes.forEach((box) => box.addEventListener("change", () => save()));
score.addEventListener("input", () => ($("score-shown").textContent = number(Number(score.value))));
score.addEventListener("change", () => save(Number(score.value)));
$("score").addEventListener("submit", (event) => event.preventDefault());
attempt(main, async () => showSaved(await api("GET", "/me/entities")));
