// Proxy: its status, and programs to copy with this server's own address.
import { $, Failure, api, copy, h, t } from "./common.js";

const base = location.origin;
const SNIPPETS = [
  ["curl", `curl ${base}/api/v1/proxy/openai/v1/chat/completions \\
  -H "Authorization: Bearer $MASKER_API_KEY" \\
  -H "X-Provider-Key: $OPENAI_API_KEY" \\
  -H "Content-Type: application/json" \\
  -d '{"model": "gpt-5-mini", "messages": [{"role": "user", "content": "Write to Reem Alharbi, 0501234567."}]}'`],
  ["Python · openai", `import os
from openai import OpenAI

client = OpenAI(
    base_url="${base}/api/v1/proxy/openai/v1",
    api_key=os.environ["MASKER_API_KEY"],
    default_headers={"X-Provider-Key": os.environ["OPENAI_API_KEY"]},
)`],
  ["Python · anthropic", `import os
from anthropic import Anthropic

client = Anthropic(
    base_url="${base}/api/v1/proxy/anthropic",
    auth_token=os.environ["MASKER_API_KEY"],
    default_headers={"X-Provider-Key": os.environ["ANTHROPIC_API_KEY"]},
)`],
  ["JavaScript · openai", `import OpenAI from "openai";

const client = new OpenAI({
  baseURL: "${base}/api/v1/proxy/openai/v1",
  apiKey: process.env.MASKER_API_KEY,
  defaultHeaders: { "X-Provider-Key": process.env.OPENAI_API_KEY },
});`],
];

$("snippets").replaceChildren(...SNIPPETS.map(([name, code]) => h("section", { class: "card" },
  h("div", { class: "row" }, h("h2", {}, name), h("button", { click: () => copy(code), "aria-label": `${t("copy")}: ${name}` }, t("copy"))),
  h("pre", { tabindex: "0", dir: "ltr", "aria-label": name }, code))));

try {
  const { proxy, managed_demo } = await api("GET", "/api/v1/proxy/status");
  $("status").textContent = t(proxy.available ? "proxy.available" : "proxy.unavailable");
  $("providers").replaceChildren(...proxy.providers.map((name) => h("li", {}, h("code", {}, name))), ...(managed_demo.available ? [h("li", {}, t("proxy.demo"))] : []));
} catch (failure) {
  if (!(failure instanceof Failure)) throw failure;
  $("status").textContent = t("proxy.unavailable");
}
