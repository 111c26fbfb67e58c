// Files: dropped, queued in the page while the service is busy, followed by stage, previewed, checked, pinned, deleted.
import { $, Failure, api, attempt, bytes, h, notify, number, posted, saveAs, show, span, sure, t } from "./common.js";

const POLL = 1200;  // milliseconds: 50 calls a minute of the 120 that an account has
const drop = $("drop"), choose = $("choose"), list = $("files"), waitingList = $("waiting");
const limits = { bytes: Number(drop.dataset.maxBytes), jobs: Number(drop.dataset.concurrent) };
const waiting = [];           // {file, element}
const originals = new Map();  // file id -> File that this page uploaded
const shown = new Map();      // file id -> element
const reports = new Map();    // file id -> signed report
let uploading = 0, polling, cursor = null;

const running = (record) => record.state === "queued" || record.state === "processing";

// Uploads.
function add(files) {
  for (const file of files) {
    const status = h("span", { class: "state" }, t("files.wait"));
    const element = h("li", { class: "file" }, h("div", { class: "row" }, h("h2", {}, h("bdi", {}, file.name)), status));
    if (file.size > limits.bytes) {
      fail(element, status, t("files.too_large"));
      waitingList.append(element);
      continue;
    }
    element.querySelector(".row").append(h("button", { click: () => { waiting.splice(waiting.findIndex((item) => item.element === element), 1); element.remove(); } }, t("cancel")));
    waiting.push({ file, element, status });
    waitingList.append(element);
  }
  next();
}

function fail(element, status, words) {
  status.dataset.state = "failed";
  status.textContent = words;
  element.querySelector("button")?.remove();
  element.querySelector("progress")?.remove();
  element.querySelector(".row").append(h("button", { click: () => element.remove() }, t("close")));
}

function next() {
  const busy = [...shown.values()].filter((element) => element.dataset.running === "true").length + uploading;
  for (let free = limits.jobs - busy; free > 0 && waiting.length; free -= 1) upload(waiting.shift());
}

async function upload({ file, element, status }) {
  uploading += 1;
  element.querySelector("button")?.remove();
  const bar = h("progress", { max: "1", value: "0", "aria-label": t("files.uploading") });
  status.textContent = t("files.uploading");
  element.append(bar);
  try {
    const made = await send(file, (share) => (bar.value = share));
    originals.set(made.file_id, file);
    showRecord(await api("GET", `/api/v1/files/${made.file_id}`), true);
    element.remove();
    poll();
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
    if (failure.code === "too_many_concurrent_jobs") {  // another program of this account was faster
      waiting.unshift({ file, element, status });
      bar.remove();
      status.textContent = t("files.wait");
      setTimeout(next, 3 * POLL);
      return;
    }
    fail(element, status, failure.message);
  } finally {
    uploading -= 1;
  }
  next();
}

/** Uploads with progress, which `fetch` does not tell. */
function send(file, progress) {
  return new Promise((resolve, reject) => {
    const request = new XMLHttpRequest(), form = new FormData();
    form.append("file", file);
    request.open("POST", "/api/v1/files/redact");
    request.responseType = "json";
    request.upload.addEventListener("progress", (event) => event.lengthComputable && progress(event.loaded / event.total));
    request.addEventListener("error", () => reject(new Failure(0)));
    request.addEventListener("load", () => request.status === 201 ? resolve(request.response) : reject(new Failure(request.status, request.response, request.getResponseHeader("Retry-After"))));
    request.send(form);
  });
}

// Records.
function showRecord(record, isNew = false) {
  const element = drawn(record), known = shown.get(record.file_id);
  if (known) known.replaceWith(element);
  else if (isNew) list.prepend(element);
  else list.append(element);
  shown.set(record.file_id, element);
  $("empty").hidden = true;
  if (record.state === "ready" && !reports.has(record.file_id)) counts(record, element);
  else if (reports.has(record.file_id)) showCounts(reports.get(record.file_id), element);
}

function stateWords({ state, stage, pages_read, pages_to_read }) {
  if (state !== "processing" || !stage) return t(`state.${state}`);
  if (stage !== "ocr" || !pages_to_read) return t(`stage.${stage}`);
  return t("stage.ocr_page", { page: number(Math.min(pages_read + 1, pages_to_read)), pages: number(pages_to_read) });
}

function drawn(record) {
  const { state } = record;
  const words = stateWords(record);
  const element = h("li", { class: "file", "data-id": record.file_id, "data-running": String(running(record)) },
    h("div", { class: "row" }, h("h2", {}, h("bdi", {}, record.original_filename)), h("span", { class: "state", "data-state": state }, words)));
  if (running(record)) element.append(h("progress", { max: "1", value: String(record.progress), "aria-label": words }));
  if (state === "failed") {
    const code = `problem.${record.error_code}`;
    element.append(h("p", { class: "problem" }, record.remedy ?? t(code) ), h("p", { class: "hint" }, h("code", { dir: "ltr" }, record.error_code)));
  }
  if (state === "ready") {
    const left = record.is_persisted ? t("files.pinned") : t("files.left", { time: span(new Date(record.expires_at) - Date.now()) });
    const facts = [t("files.found", { count: number(record.entity_count) }), t("files.words", { count: number(record.word_count) }), left];
    element.append(h("p", { class: "hint" }, facts.join(" · ")), h("ul", { class: "legend counts" }));
  }
  const buttons = h("div", { class: "row buttons" });
  if (state === "ready") {
    buttons.append(
      h("a", { class: "button primary", href: record.download_url, download: "" }, t("files.download")),
      h("button", { click: (event) => attempt(event.currentTarget, () => preview(record)) }, t("files.preview")),
      h("button", { click: () => report(record) }, t("files.report")),
      h("button", { click: (event) => attempt(event.currentTarget, async () => showRecord(await api("POST", `/api/v1/files/${record.file_id}/${record.is_persisted ? "unpin" : "pin"}`))) }, t(record.is_persisted ? "files.unpin" : "files.pin")));
  }
  buttons.append(h("button", { class: "danger", click: (event) => remove(record, event.currentTarget) }, t("delete")));
  element.append(buttons);
  return element;
}

async function remove(record, button) {
  if (!(await sure(t("files.delete_sure"), t("delete")))) return;
  await attempt(button, async () => {
    await api("DELETE", `/api/v1/files/${record.file_id}`);
    shown.get(record.file_id).remove();
    shown.delete(record.file_id);
    originals.delete(record.file_id);
    $("empty").hidden = shown.size > 0;
    next();
  });
}

async function counts(record, element) {
  try {
    reports.set(record.file_id, await api("GET", `/api/v1/files/${record.file_id}/report`));
    showCounts(reports.get(record.file_id), shown.get(record.file_id) ?? element);
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
  }
}

function showCounts({ report: { findings } }, element) {
  element.querySelector(".counts")?.replaceChildren(...Object.entries(findings).map(([type, count]) => h("li", {}, h("mark", { "data-type": type }, `${t(`type.${type}`)} ${number(count)}`))));
}

/** One call tells of all running files: they are the newest ones. */
async function poll() {
  clearTimeout(polling);
  const isRunning = () => [...shown.values()].some((element) => element.dataset.running === "true");
  if (!isRunning()) return;
  try {
    const { files } = await api("GET", "/api/v1/files?limit=50");
    files.forEach(update);
  } catch (failure) {
    if (!(failure instanceof Failure)) throw failure;
  }
  next();
  if (isRunning()) polling = setTimeout(poll, POLL);
}

function update(record) {
  const element = shown.get(record.file_id), bar = element?.querySelector("progress");
  if (element?.dataset.running !== "true") return;
  if (!running(record) || !bar) {
    showRecord(record);
    return;
  }
  bar.value = record.progress;  // the element stays, so that the keyboard's focus does
  element.querySelector(".state").textContent = stateWords(record);
}

// Before and after.
async function preview(record) {
  const addresses = [];
  const type = record.content_type.split(";")[0].replace("image/jpg", "image/jpeg");
  const original = originals.get(record.file_id);
  const before = original ? await pages(original, type, t("files.before"), addresses) : h("p", { class: "hint" }, t("files.no_before"));
  const after = await pages(new Blob([await bytes(record.download_url)]), type, t("files.after"), addresses);
  const dialog = show(record.original_filename, h("div", { class: "preview" }, h("div", {}, h("h3", {}, t("files.before")), before), h("div", {}, h("h3", {}, t("files.after")), after)));
  dialog.addEventListener("close", () => addresses.forEach((address) => URL.revokeObjectURL(address)));
}

/** The first pages of a document, as the server draws them, and a button for the next ones. */
async function pages(document, type, label, addresses) {
  const list = h("ol", { class: "pages" });
  const more = h("button", { click: (event) => attempt(event.currentTarget, draw) }, t("files.more_pages"));
  async function draw() {
    const first = list.childElementCount;
    const drawn = await posted(`/preview?first=${first}`, document, type);
    const name = (index) => `${label}: ${t("files.page", { page: number(first + index + 1), pages: number(drawn.pages) })}`;
    const pictures = drawn.pictures.map((picture, index) => {
      const address = URL.createObjectURL(new Blob([Uint8Array.from(atob(picture), (letter) => letter.charCodeAt(0))], { type: "image/png" }));
      addresses.push(address);
      return h("img", { src: address, alt: name(index) });
    });
    const texts = drawn.lines.map((lines, index) => h("div", { class: "written", tabindex: "0", role: "group", "aria-label": name(index) }, lines.map((line) => h("p", { dir: "auto" }, line))));
    list.append(...[...pictures, ...texts].map((page) => h("li", {}, page)));
    more.hidden = list.childElementCount >= drawn.pages || list.childElementCount === first;
  }
  await draw();
  return h("div", {}, list, more);
}

// The report, and its check in the browser.
async function report(record) {
  const signed = reports.get(record.file_id) ?? (await api("GET", `/api/v1/files/${record.file_id}/report`));
  const { report: facts } = signed;
  const verdict = h("p", { role: "status" });
  show(`${t("files.report")}: ${record.original_filename}`,
    h("p", {}, t("files.residual", { count: number(facts.residual_count) })),
    h("p", { class: "hint" }, t("files.readers", { readers: facts.second_reading.readers.join(", ") })),
    h("div", { class: "row" },
      h("button", { class: "primary", click: (event) => attempt(event.currentTarget, async () => (verdict.textContent = t(`files.check_${await checked(record, signed)}`))) }, t("files.check")),
      h("button", { click: () => saveAs(`${record.file_id}.report.json`, new Blob([JSON.stringify(signed, null, 1)], { type: "application/json" })) }, t("files.download"))),
    verdict,
    h("pre", { tabindex: "0", "aria-label": t("files.report") }, JSON.stringify(signed, null, 1)));
}

/** `good`, `bad`, or `unknown` where the browser has no Ed25519: the signature (RFC 8032) and the file's SHA-256. */
async function checked(record, signed) {
  const bytes = new Uint8Array(await (await fetch(record.download_url)).arrayBuffer());
  const digest = new Uint8Array(await crypto.subtle.digest("SHA-256", bytes));
  const hex = [...digest].map((byte) => byte.toString(16).padStart(2, "0")).join("");
  if (hex !== signed.report.output.sha256) return "bad";
  const keys = await api("GET", "/api/v1/files/report-key");
  const known = [keys, ...keys.previous].find((key) => key.key_id === signed.signature.key_id);
  if (!known) return "bad";
  const binary = (base64) => Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
  let key;
  try {
    key = await crypto.subtle.importKey("raw", binary(known.public_key), "Ed25519", false, ["verify"]);
  } catch {
    return "unknown";
  }
  const isValid = await crypto.subtle.verify("Ed25519", key, binary(signed.signature.value), new TextEncoder().encode(canonical(signed.report)));
  return isValid ? "good" : "bad";
}

/** JSON in canonical form (RFC 8785) of strings, whole numbers, nulls, lists and objects. */
function canonical(value) {
  if (Array.isArray(value)) return `[${value.map(canonical).join(",")}]`;
  if (value === null || typeof value !== "object") return JSON.stringify(value);
  return `{${Object.keys(value).sort().map((key) => `${JSON.stringify(key)}:${canonical(value[key])}`).join(",")}}`;
}

async function loadMore() {
  const page = await api("GET", `/api/v1/files?limit=20${cursor ? `&cursor=${cursor}` : ""}`);
  page.files.filter((record) => record.state !== "expired").forEach((record) => showRecord(record));
  cursor = page.next_cursor;
  $("more").hidden = cursor === null;
  $("empty").hidden = shown.size > 0;
  poll();
}

const take = () => { add(choose.files); choose.value = ""; };
choose.addEventListener("change", take);
if (choose.files.length) take(); // chosen before this script was there
drop.addEventListener("dragover", (event) => { event.preventDefault(); drop.classList.add("over"); });
drop.addEventListener("dragleave", () => drop.classList.remove("over"));
drop.addEventListener("drop", (event) => { event.preventDefault(); drop.classList.remove("over"); add(event.dataTransfer.files); });
$("more").addEventListener("click", (event) => attempt(event.currentTarget, loadMore));
window.addEventListener("beforeunload", (event) => { if (waiting.length || uploading) event.preventDefault(); });
attempt($("more"), loadMore);
