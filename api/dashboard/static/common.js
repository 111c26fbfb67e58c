// What every page needs: sentences, elements without markup, calls to the API, numbers and times of the reader's language.

const sentences = JSON.parse(document.getElementById("sentences").textContent);
const language = document.documentElement.lang;
const locale = language === "ar" ? "ar-SA-u-ca-gregory-nu-arab" : "en-GB";
const SECOND = 1000, MINUTE = 60 * SECOND, HOUR = 60 * MINUTE, DAY = 24 * HOUR;

/** The sentence of that name, with `{place}` filled from `values`. */
export function t(name, values = {}) {
  const sentence = sentences[name] ?? name;
  return sentence.replace(/\{(\w+)\}/g, (whole, key) => (key in values ? String(values[key]) : whole));
}

export const has = (name) => name in sentences;
export const number = (value, options) => new Intl.NumberFormat(locale, options).format(value);
export const moment = (text) => new Date(text).toLocaleString(locale, { dateStyle: "medium", timeStyle: "short" });
export const day = (text) => new Date(`${text}T00:00:00`).toLocaleDateString(locale, { day: "numeric", month: "short" });

/** A length of time in the largest unit that fits, such as `5 hours`. */
export function span(milliseconds) {
  const [unit, size] = [["day", DAY], ["hour", HOUR], ["minute", MINUTE]].find(([, each]) => milliseconds >= each) ?? ["second", SECOND];
  const count = Math.max(0, Math.round(milliseconds / size));
  return number(count, { style: "unit", unit, unitDisplay: "long" });
}

/** An element. Attributes that are functions listen; children are elements or text, never markup. */
export function h(tag, attributes = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === "function") element.addEventListener(name, value);
    else if (typeof value === "boolean") element.toggleAttribute(name, value);
    else if (value !== null && value !== undefined) element.setAttribute(name, value);
  }
  element.append(...children.flat().filter((child) => child !== null && child !== undefined));
  return element;
}

export const $ = (id) => document.getElementById(id);

/** A failed call: status, code or sentence of the API, and what to tell the reader. */
export class Failure extends Error {
  constructor(status, body, retryAfter) {
    const detail = typeof body?.detail === "string" ? body.detail : (body?.error ?? body?.detail?.[0]?.type ?? "");
    super(words(status, detail, body, retryAfter));
    this.status = status;
    this.code = detail;
  }
}

function words(status, detail, body, retryAfter) {
  if (status === 0) return t("problem.network");
  if (has(`problem.${detail}`)) {
    return t(`problem.${detail}`, { needed: number(body?.needed_tokens ?? 0), available: number(body?.available_tokens ?? 0) });
  }
  if (status === 429) return t("problem.429", { seconds: number(Number(retryAfter ?? 60)) });
  if (status === 422) {
    const places = Array.isArray(body?.detail) ? body.detail.map((item) => item.loc.slice(1).join(".") || item.msg) : [];
    return t("problem.422", { where: places.join(", ") });
  }
  return t("problem.unknown", { status });
}

/** Calls the API and gives its JSON, or null of an empty answer. Failure; without a session the browser signs in. */
export async function api(method, path, body) {
  const answer = await answered(path, {
    method,
    headers: body === undefined ? {} : { "Content-Type": "application/json" },
    body: body === undefined ? undefined : JSON.stringify(body),
  });
  return answer.status === 204 ? null : answer.json().catch(() => null);
}

/** The bytes that the API gives. Failure as for `api`. */
export async function bytes(path) {
  return (await answered(path)).arrayBuffer();
}

/** The JSON that the API answers to bytes. Failure as for `api`. */
export async function posted(path, body, type) {
  return (await answered(path, { method: "POST", headers: { "Content-Type": type }, body })).json();
}

async function answered(path, options) {
  let answer;
  try {
    answer = await fetch(path, options);
  } catch {
    throw new Failure(0);
  }
  if (answer.ok) return answer;
  if (answer.status === 401 && !path.startsWith("/auth/")) location.assign("/sign-in");
  throw new Failure(answer.status, await answer.json().catch(() => null), answer.headers.get("Retry-After"));
}

/** Says something at the edge of the page for some seconds. */
export function notify(text) {
  const line = h("p", {}, text);
  $("notices").append(line);
  setTimeout(() => line.remove(), 6 * SECOND);
}

/** Runs an action of a button or form, which is busy meanwhile; a failure is said where the form says it. */
export async function attempt(element, action) {
  const place = element.querySelector?.(".problem") ?? document.querySelector(".problem");
  if (place) place.hidden = true;
  const buttons = element.matches("button") ? [element] : [...element.querySelectorAll("button[type=submit]")];
  buttons.forEach((button) => (button.disabled = true));
  try {
    return await action();
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    if (place) {
      place.textContent = failure.message;
      place.hidden = false;
    } else notify(failure.message);
    return undefined;
  } finally {
    buttons.forEach((button) => (button.disabled = false));
  }
}

/** Asks in a dialog; the promise is whether the reader agreed. */
export function sure(question, word) {
  return new Promise((resolve) => {
    const dialog = h("dialog", { class: "small", "aria-label": question, close: () => { dialog.remove(); resolve(dialog.returnValue === "yes"); } },
      h("p", {}, question),
      h("form", { method: "dialog", class: "row" },
        h("button", { value: "yes", class: "danger" }, word),
        h("button", { value: "no", autofocus: true }, t("cancel"))));
    document.body.append(dialog);
    dialog.showModal();
  });
}

/** Opens a dialog with a close button; it is removed when it closes. */
export function show(label, ...children) {
  const dialog = h("dialog", { "aria-label": label, close: () => dialog.remove() },
    h("div", { class: "row" }, h("h2", {}, label), h("button", { click: () => dialog.close() }, t("close"))), ...children);
  document.body.append(dialog);
  dialog.showModal();
  return dialog;
}

export async function copy(text) {
  await navigator.clipboard.writeText(text);
  notify(t("copied"));
}

/** Saves bytes or text as a file of the reader. */
export function saveAs(name, blob) {
  const address = URL.createObjectURL(blob);
  h("a", { href: address, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(address), MINUTE);
}

function remember(name, value) {
  document.cookie = `masker_${name}=${value}; path=/; max-age=31536000; samesite=lax`;
  location.reload();
}

for (const button of document.querySelectorAll(".copy")) {
  button.addEventListener("click", () => copy($(button.dataset.from).textContent));
}
$("language").addEventListener("click", (event) => remember("language", event.currentTarget.dataset.language));
$("theme").addEventListener("click", (event) => {
  const order = ["auto", "light", "dark"];
  remember("theme", order[(order.indexOf(event.currentTarget.dataset.theme) + 1) % order.length]);
});
$("sign-out")?.addEventListener("click", async () => {
  await api("POST", "/auth/logout");
  location.assign("/sign-in");
});
