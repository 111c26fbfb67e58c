// Signing in and signing up: the form is sent as JSON, and the answer sets the session cookie.
import { $, api, attempt } from "./common.js";

$("sign")?.addEventListener("submit", (event) => {
  event.preventDefault();
  const form = event.currentTarget;
  attempt(form, async () => {
    await api("POST", form.dataset.action, Object.fromEntries(new FormData(form)));
    location.assign("/");
  });
});
