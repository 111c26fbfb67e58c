// Keys: made and shown once, renamed, revoked, and given types of their own.
import { $, api, attempt, h, moment, notify, show, sure, t } from "./common.js";

const mint = $("mint");

async function load() {
  const keys = await api("GET", "/v1/keys");
  const live = keys.filter((key) => !key.revoked_at), revoked = keys.filter((key) => key.revoked_at);
  $("keys").replaceChildren(...live.map(row));
  $("empty").hidden = live.length > 0;
  $("revoked").replaceChildren(...revoked.map((key) => h("li", {}, h("bdi", {}, key.name), " ", h("code", { dir: "ltr" }, `mk_live_${key.prefix}_…`), ` ${moment(key.revoked_at)}`)));
}

function row(key) {
  const name = h("input", { value: key.name, maxlength: "200", "aria-label": t("keys.name"), dir: "auto", autocomplete: "off" });
  const rename = h("button", { click: (event) => attempt(event.currentTarget, async () => {
    await api("PATCH", `/v1/keys/${key.id}`, { name: name.value });
    notify(t("saved"));
  }) }, t("rename"));
  const revoke = h("button", { class: "danger", click: async (event) => {
    const button = event.currentTarget;
    if (await sure(t("keys.revoke_sure"), t("keys.revoke"))) {
      await attempt(button, async () => { await api("DELETE", `/v1/keys/${key.id}`); await load(); });
    }
  } }, t("keys.revoke"));
  return h("tr", {},
    h("td", {}, name),
    h("td", {}, h("code", { dir: "ltr" }, `mk_live_${key.prefix}_…`)),
    h("td", {}, moment(key.created_at)),
    h("td", {}, key.last_used_at ? moment(key.last_used_at) : t("never")),
    h("td", {}, t(key.judge_allowed ? "yes" : "no")),
    h("td", {}, h("div", { class: "row" }, rename, h("button", { click: () => types(key) }, t("keys.types")), revoke)));
}

async function types(key) {
  const [own, account] = await Promise.all([api("GET", `/v1/keys/${key.id}/entities`), api("GET", "/me/entities")]);
  const boxes = account.catalog.map(({ type }) => h("input", { type: "checkbox", value: type, checked: own.effective.includes(type) }));
  const inherit = h("input", { type: "checkbox", checked: own.override === null, change: follow });
  const problem = h("p", { class: "problem", role: "alert", hidden: true });
  function follow() {
    boxes.forEach((box) => {
      box.disabled = inherit.checked;
      if (inherit.checked) box.checked = account.enabled.includes(box.value);
    });
  }
  follow();
  const form = h("form", { submit: (event) => {
    event.preventDefault();
    attempt(form, async () => {
      const override = inherit.checked ? null : boxes.filter((box) => box.checked).map((box) => box.value);
      await api("PUT", `/v1/keys/${key.id}/entities`, { override });
      dialog.close();
      notify(t("saved"));
    });
  } },
    h("p", { class: "hint" }, t("keys.types_hint")),
    h("label", { class: "switch" }, inherit, t("keys.inherit")),
    h("div", { class: "chips" }, boxes.map((box) => h("label", {}, box, t(`type.${box.value}`)))),
    problem,
    h("p", {}, h("button", { type: "submit", class: "primary" }, t("save"))));
  const dialog = show(`${t("keys.types")}: ${key.name}`, form);
}

mint.addEventListener("submit", (event) => {
  event.preventDefault();
  attempt(mint, async () => {
    const made = await api("POST", "/v1/keys", { name: mint.elements.name.value });
    $("secret").textContent = made.key;
    $("minted").hidden = false;
    mint.reset();
    await load();
  });
});
$("forget").addEventListener("click", () => {
  $("secret").textContent = "";
  $("minted").hidden = true;
});
attempt(mint, load);
