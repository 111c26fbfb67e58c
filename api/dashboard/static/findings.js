// Texts with coloured findings. Offsets of the API count code points, so the text is cut as code points.
import { h, number, t } from "./common.js";

/** Fills an element with the text, each span of it as a mark; `tell` gets the explanation that a reader points at. */
export function showSpans(element, text, explanations, tell) {
  const points = Array.from(text);
  const part = (start, end) => points.slice(start, end).join("");
  const children = [];
  let at = 0;
  for (const found of explanations) {
    const say = () => tell(described(found, part));
    children.push(part(at, found.start), h("mark", {
      "data-type": found.type, tabindex: "0", title: t(`type.${found.type}`), mouseenter: say, focus: say, click: say,
    }, part(found.start, found.end)));
    at = found.end;
  }
  element.replaceChildren(...children, part(at));
}

function described(found, part) {
  const parts = [t(`type.${found.type}`), `${t("try.score")} ${number(found.score, { maximumFractionDigits: 2 })}`];
  if (found.why.shape) parts.push(found.why.shape);
  if (found.why.check) parts.push(`${t("try.check")} ${found.why.check}`);
  if (found.why.cue) parts.push(`${t("try.cue")} “${part(found.why.cue.start, found.why.cue.end)}”`);
  return parts.join(" · ");
}

/** Fills an element with a text whose tokens or placeholders are isolated, so that they keep their place in Arabic. */
export function showReplaced(element, text, pattern, typeOf) {
  const children = [];
  let at = 0;
  for (const match of text.matchAll(pattern)) {
    children.push(text.slice(at, match.index), h("mark", { "data-type": typeOf(match[1]), dir: "ltr" }, match[0]));
    at = match.index + match[0].length;
  }
  element.replaceChildren(...children, text.slice(at));
}

/** Fills an element with a text whose synthetic values are marked. */
export function showStandIns(element, text, places) {
  const points = Array.from(text);
  const children = [];
  let at = 0;
  for (const { start, end, type } of places) {
    children.push(points.slice(at, start).join(""), h("mark", { "data-type": type, title: t(`type.${type}`) }, points.slice(start, end).join("")));
    at = end;
  }
  element.replaceChildren(...children, points.slice(at).join(""));
}

export const TOKENS = /<MASKED_([A-Z_]+)_[a-f0-9]{8}>/g;

const TYPE_OF_PREFIX = {
  PERSON_NAME: "PERSON", PHONE: "PHONE_NUMBER", EMAIL: "EMAIL_ADDRESS", DATE: "DATE_TIME", ORG: "ORGANIZATION",
  CARD: "CREDIT_CARD", IP: "IP_ADDRESS", AMOUNT: "MONETARY_AMOUNT",
};
export const typeOfPrefix = (prefix) => TYPE_OF_PREFIX[prefix] ?? prefix;

/** A pattern of the placeholders of an answer, by its prefixes. */
export const placeholders = (prefixes) => new RegExp(`\\b(${prefixes.join("|") || "(?!)"})_\\d{2,}\\b`, "g");
