// Glossaries: made, switched, edited as a table, read from and written to CSV, tried on a text.
import { $, api, attempt, h, notify, number, saveAs, show, sure, t } from "./common.js";
import { formatCsv, parseCsv } from "./csv.js";
import { showSpans } from "./findings.js";

const COLUMNS = ["term", "entity_type", "match_mode", "case_sensitive", "locale", "action"];
const MODES = ["word_boundary", "exact", "substring"];
const create = $("create"), place = $("glossaries");
let types = ["CUSTOM_TERM"];

async function load() {
  const [glossaries, { catalog }] = await Promise.all([api("GET", "/v1/glossaries"), api("GET", "/me/entities")]);
  types = ["CUSTOM_TERM", ...catalog.map((row) => row.type)];
  place.replaceChildren(...glossaries.map(card));
  $("empty").hidden = glossaries.length > 0;
}

function card(glossary) {
  const path = `/v1/glossaries/${glossary.id}`;
  const name = h("input", { value: glossary.name, maxlength: "200", "aria-label": t("keys.name"), dir: "auto", autocomplete: "off" });
  const enabled = h("input", { type: "checkbox", checked: glossary.enabled, change: () => change({ enabled: enabled.checked }) });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  const body = h("tbody");
  const count = h("span", { class: "badge" });
  const recount = () => (count.textContent = t("glossaries.terms", { count: number(body.rows.length) }));
  const change = (fields) => attempt(section, async () => { await api("PATCH", path, fields); notify(t("saved")); });
  const append = (entry) => { body.append(row(entry, recount)); recount(); };
  glossary.entries.forEach(append);
  recount();
  const importer = h("input", { type: "file", accept: ".csv,text/csv", class: "visually-hidden", "aria-label": t("glossaries.import"), change: async () => {
    const entries = read(await importer.files[0].text(), problem);
    importer.value = "";
    if (!entries) return;
    entries.forEach(append);
    details.open = true;
    notify(t("glossaries.imported", { count: number(entries.length) }));
  } });
  const details = h("details", {}, h("summary", {}, t("glossaries.edit")),
    h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": t("glossaries.edit") },
      h("table", {}, h("thead", {}, h("tr", {}, ["term", "type", "mode", "case", "locale", "action"].map((each) => h("th", { scope: "col" }, t(`glossaries.${each}`))), h("th", { scope: "col" }, t("actions")))), body)),
    h("div", { class: "row" },
      h("button", { click: () => append({ term: "" }) }, t("glossaries.add")),
      h("button", { class: "primary", click: () => attempt(section, async () => { await api("PATCH", `${path}/entries`, { entries: [...body.rows].map(entryOf) }); notify(t("saved")); }) }, t("save"))));
  const section = h("section", { class: "card", "aria-label": glossary.name },
    h("div", { class: "row" }, h("div", { class: "grow" }, name), h("button", { click: () => change({ name: name.value }) }, t("rename")), count),
    h("p", {}, h("label", { class: "switch" }, enabled, t("glossaries.enabled"))),
    problem, details,
    h("div", { class: "row" },
      h("button", { click: () => importer.click() }, t("glossaries.import")), importer,
      h("button", { click: () => saveAs(`${glossary.name}.csv`, new Blob([formatCsv([COLUMNS, ...[...body.rows].map((each) => cells(entryOf(each)))])], { type: "text/csv" })) }, t("glossaries.export")),
      h("button", { click: () => tryOn(glossary) }, t("glossaries.try")),
      h("button", { class: "danger", click: async () => { if (await sure(t("glossaries.delete_sure"), t("delete"))) await attempt(section, async () => { await api("DELETE", path); await load(); }); } }, t("delete"))));
  return section;
}

function row(entry, changed) {
  const choice = (name, values, words, chosen) => h("select", { name, "aria-label": t(words) }, values.map(([value, label]) => h("option", { value, selected: value === chosen }, label)));
  const line = h("tr", {},
    h("td", {}, h("input", { name: "term", value: entry.term, maxlength: "200", "aria-label": t("glossaries.term"), dir: "auto", autocomplete: "off" })),
    h("td", {}, choice("entity_type", types.map((type) => [type, t(`type.${type}`)]), "glossaries.type", entry.entity_type ?? "CUSTOM_TERM")),
    h("td", {}, choice("match_mode", MODES.map((mode) => [mode, t(`mode.${mode}`)]), "glossaries.mode", entry.match_mode ?? MODES[0])),
    h("td", {}, choice("case_sensitive", [["false", t("case.no")], ["true", t("case.yes")]], "glossaries.case", String(entry.case_sensitive ?? false))),
    h("td", {}, choice("locale", [["", t("locale.any")], ["ar", t("locale.ar")], ["en", t("locale.en")]], "glossaries.locale", entry.locale ?? "")),
    h("td", {}, choice("action", [["mask", t("action.mask")], ["allow", t("action.allow")]], "glossaries.action", entry.action ?? "mask")),
    h("td", {}, h("button", { class: "danger", click: () => { line.remove(); changed(); } }, t("glossaries.remove"))));
  return line;
}

function entryOf(line) {
  const value = (name) => line.querySelector(`[name=${name}]`).value;
  return {
    term: value("term"), entity_type: value("entity_type"), match_mode: value("match_mode"),
    case_sensitive: value("case_sensitive") === "true", locale: value("locale") || null, action: value("action"),
  };
}

const cells = (entry) => COLUMNS.map((column) => entry[column] ?? "");

/** The entries of a CSV with the columns of an export; only `term` is needed. Null with the problem said. */
function read(text, problem) {
  const rows = parseCsv(text);
  const header = rows[0]?.map((cell) => cell.trim().toLowerCase()) ?? [];
  const names = header.includes("term") ? header : ["term"];
  const entries = [];
  problem.hidden = true;
  for (const [index, cellsOfRow] of rows.slice(header.includes("term") ? 1 : 0).entries()) {
    const given = Object.fromEntries(names.map((name, place_) => [name, (cellsOfRow[place_] ?? "").trim()]));
    const wrong = !given.term ? "term" : given.entity_type && !types.includes(given.entity_type) ? given.entity_type : given.match_mode && !MODES.includes(given.match_mode) ? given.match_mode : null;
    if (wrong) {
      problem.textContent = t("glossaries.bad_csv", { line: number(index + 1 + Number(header.includes("term"))), problem: wrong });
      problem.hidden = false;
      return null;
    }
    entries.push({ ...given, term: given.term.replace(/^'(?=[=+\-@])/, ""), case_sensitive: given.case_sensitive?.toLowerCase() === "true", locale: given.locale || null });
  }
  return entries;
}

function tryOn(glossary) {
  const text = h("textarea", { rows: "4", dir: "auto", required: true, "aria-label": t("try.text") });
  const out = h("p", { class: "text", dir: "auto" }), detail = h("p", { class: "detail", role: "status" });
  const form = h("form", { submit: (event) => {
    event.preventDefault();
    attempt(form, async () => {
      const answer = await api("POST", "/api/v1/mask", { text: text.value, glossary_id: glossary.id, explain: true });
      showSpans(out, text.value, answer.explanations, (sentence) => (detail.textContent = sentence));
      detail.textContent = t(answer.pii_count ? "try.detail" : "try.nothing");
    });
  } }, h("p", { class: "hint" }, t("glossaries.try_hint")), text, h("p", { class: "problem", role: "alert", hidden: true }), h("button", { type: "submit", class: "primary" }, t("try.run")));
  show(`${t("glossaries.try")}: ${glossary.name}`, form, out, detail);
}

create.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(create, async () => {
    await api("POST", "/v1/glossaries", { name: create.elements.name.value, entries: [] });
    create.reset();
    await load();
  });
});
attempt(create, load);
