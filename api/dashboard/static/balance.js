// The balance, as two pages show it.
import { $, api, moment, number, t } from "./common.js";

export async function showBalance() {
  const { balance } = await api("GET", "/me");
  $("free").textContent = number(balance.free_tokens);
  $("paid").textContent = number(balance.paid_tokens);
  $("resets").textContent = t("usage.resets", { when: moment(balance.free_resets_at) });
}
