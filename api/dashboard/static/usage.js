// Usage: balance, two charts, the same as a table, and the ledger.
import { $, api, attempt, day, h, moment, number, t } from "./common.js";
import { showBalance } from "./balance.js";

const DAYS = 30, WIDTH = 720, HEIGHT = 160, FLOOR = 130, LEFT = 8;
let cursor = null;

const svg = (tag, attributes, ...children) => {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
};

/** Bars of one value a day; the table below the charts holds the same for those who do not see them. */
function chart(label, days, valueOf) {
  const most = Math.max(1, ...days.map(valueOf)), step = (WIDTH - LEFT) / days.length;
  const bars = days.map((each, index) => {
    const height = Math.round((FLOOR - 20) * valueOf(each) / most);
    const words = `${day(each.day)}: ${number(valueOf(each))}`;
    return svg("rect", { x: LEFT + index * step + 2, y: FLOOR - height, width: Math.max(1, step - 4), height, rx: 2 }, svg("title", {}, words));
  });
  const names = days.filter((_, index) => index % 7 === 0).map((each, index) => svg("text", { x: LEFT + index * 7 * step, y: HEIGHT - 8, direction: "ltr" }, day(each.day)));
  return svg("svg", { viewBox: `0 0 ${WIDTH} ${HEIGHT}`, class: "chart", role: "img", "aria-label": label },
    svg("line", { x1: LEFT, x2: WIDTH, y1: FLOOR, y2: FLOOR }), svg("text", { x: LEFT, y: 14, direction: "ltr" }, number(most)), ...bars, ...names);
}

const total = (entities) => Object.values(entities).reduce((sum, count) => sum + count, 0);

async function showUsage() {
  const { days } = await api("GET", `/me/usage?days=${DAYS}`);
  $("month").textContent = number(days.reduce((sum, each) => sum + each.tokens, 0));
  $("calls").textContent = t("usage.calls_of", { count: number(days.reduce((sum, each) => sum + each.calls, 0)) });
  $("words").replaceChildren(chart(t("usage.words"), days, (each) => each.tokens));
  $("entities").replaceChildren(chart(t("usage.entities"), days, (each) => total(each.entities)));
  const byType = new Map();
  for (const each of days) for (const [type, count] of Object.entries(each.entities)) byType.set(type, (byType.get(type) ?? 0) + count);
  $("by-type").replaceChildren(...[...byType].sort((one, other) => other[1] - one[1]).map(([type, count]) => h("li", {}, h("mark", { "data-type": type }, `${t(`type.${type}`)} ${number(count)}`))));
  $("days").replaceChildren(...days.filter((each) => each.calls || each.tokens).reverse().map((each) => h("tr", {}, h("td", {}, day(each.day)), h("td", {}, number(each.tokens)), h("td", {}, number(each.calls)), h("td", {}, number(total(each.entities))))));
}

async function showLedger() {
  const page = await api("GET", `/me/ledger?limit=20${cursor ? `&cursor=${encodeURIComponent(cursor)}` : ""}`);
  const signed = (value) => h("td", {}, h("bdi", {}, number(value, { signDisplay: "exceptZero" })));
  $("ledger").append(...page.entries.map((entry) => h("tr", {}, h("td", {}, moment(entry.created_at)), h("td", {}, entry.kind), h("td", {}, entry.reason), signed(entry.free_tokens), signed(entry.paid_tokens))));
  cursor = page.next_cursor;
  $("more").hidden = cursor === null;
  $("empty").hidden = $("ledger").rows.length > 0;
}

$("more").addEventListener("click", (event) => attempt(event.currentTarget, showLedger));
attempt($("main"), () => Promise.all([showBalance(), showUsage(), showLedger()]));
