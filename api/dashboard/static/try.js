// Try it: one text masked and redacted, the account's types beside it, and an envelope opened in the browser.
import { $, api, attempt, h, notify, number, t } from "./common.js";
import { placeholders, showReplaced, showSpans, showStandIns, TOKENS, typeOfPrefix } from "./findings.js";
import { newKey, openEnvelope, restore } from "./masker.js";

const form = $("try"), text = $("text");

async function run() {
  const given = { text: text.value };
  const [masked, redacted] = await Promise.all([
    api("POST", "/api/v1/mask", { ...given, explain: true }),
    api("POST", "/api/v1/redact", { ...given, replacement: $("synthetic").checked ? "synthetic" : "placeholder" }),
  ]);
  $("count").textContent = number(masked.pii_count);
  showSpans($("original"), given.text, masked.explanations, (sentence) => ($("detail").textContent = sentence));
  $("detail").textContent = t(masked.pii_count ? "try.detail" : "try.nothing");
  showReplaced($("masked"), masked.masked_text, TOKENS, (type) => type);
  const prefixes = placeholders(Object.keys(redacted.entity_counts));
  if (redacted.synthetic) showStandIns($("redacted"), redacted.redacted_text, redacted.synthetic);
  else showReplaced($("redacted"), redacted.redacted_text, prefixes, typeOfPrefix);
  $("results").hidden = false;
}

form.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(form, run);
});
text.addEventListener("keydown", (event) => {
  if (event.key === "Enter" && (event.ctrlKey || event.metaKey)) form.requestSubmit();
});
$("synthetic").addEventListener("change", () => form.requestSubmit());
$("sample").addEventListener("click", () => {
  text.value = t("try.sample_text");
  form.requestSubmit();
});

// The account's types.
async function loadTypes() {
  const { enabled, catalog } = await api("GET", "/me/entities");
  $("chips").replaceChildren(...catalog.map(({ type }) =>
    h("label", {}, h("input", { type: "checkbox", value: type, checked: enabled.includes(type), change: saveTypes }), t(`type.${type}`))));
}

async function saveTypes(event) {
  const chosen = [...$("chips").querySelectorAll("input:checked")].map((box) => box.value);
  if (!chosen.length) {
    event.currentTarget.checked = true;
    notify(t("types.one"));
    return;
  }
  await attempt(form, async () => {
    await api("PUT", "/me/entities", { enabled: chosen });
    if (!$("results").hidden) await run();
  });
}
attempt(form, loadTypes);

// A key of the caller's own.
let key, answer, mapping;

$("byok-key").addEventListener("click", () => {
  key = newKey();
  $("byok-key-value").textContent = key;
  $("byok-mask").disabled = false;
});
$("byok-mask").addEventListener("click", (event) => {
  if (!text.value) {
    notify(t("byok.no_text"));
    return;
  }
  attempt(event.currentTarget, async () => {
    answer = await api("POST", "/api/v1/mask", { text: text.value, key });
    const { ciphertext, nonce_payload, wrapped_dek, nonce_dek } = answer;
    $("byok-cipher").textContent = JSON.stringify({ ciphertext, nonce_payload, wrapped_dek, nonce_dek }, null, 1);
    $("byok-open").disabled = false;
  });
});
$("byok-open").addEventListener("click", async () => {
  mapping = await openEnvelope(answer, key);
  const table = $("byok-mapping");
  table.tBodies[0].replaceChildren(...[...mapping].map(([token, original]) =>
    h("tr", {}, h("td", {}, h("code", { dir: "ltr" }, token)), h("td", {}, h("bdi", {}, original)))));
  table.hidden = false;
  $("byok-reply").value = t("byok.reply_text", { tokens: [...mapping.keys()].slice(0, 2).join(", ") });
  $("byok-restore").disabled = false;
});
$("byok-restore").addEventListener("click", () => ($("byok-restored").textContent = restore($("byok-reply").value, mapping)));
