// Masker for JavaScript: opens the envelope of a /mask answer and restores a model's reply. Needs WebCrypto, nothing else.
//
//   import { openEnvelope, restore } from "./masker.js";
//   const mapping = await openEnvelope(answer, bearer);       // or a 32-byte key of your own, as base64 or Uint8Array
//   const text = restore(reply, mapping);

const SALT = new TextEncoder().encode("masker-kek-salt-v1");
const INFO = new TextEncoder().encode("masker-kek-v1");
const TOKEN = /<MASKED_[A-Z_]+_[a-f0-9]{8}>/g;
const LONGEST_TOKEN = 64;

/** The envelope does not open: the key is another one, or the answer was changed. */
export class EnvelopeError extends Error {}

/**
 * The mapping from token to original of a /mask answer.
 *
 * `key`: the bearer that made the call, or, where the answer has no wrapped key, the caller's own 32 bytes.
 */
export async function openEnvelope(answer, key) {
  try {
    const dataKey = answer.wrapped_dek === null
      ? typeof key === "string" ? decoded(key) : key
      : await decrypted(await keyFrom(key), answer.nonce_dek, answer.wrapped_dek);
    const mapping = JSON.parse(new TextDecoder("utf-8", { fatal: true }).decode(await decrypted(dataKey, answer.nonce_payload, answer.ciphertext)));
    return new Map(Object.entries(mapping));
  } catch {
    throw new EnvelopeError("the envelope does not open with this key");
  }
}

/** A new AES-256 key of the caller, in base64: what `key` of a /mask request takes. */
export function newKey() {
  return encoded(crypto.getRandomValues(new Uint8Array(32)));
}

/** The text with every token of the mapping replaced by its original. */
export function restore(text, mapping) {
  return text.replace(TOKEN, (token) => mapping.get(token) ?? token);
}

/**
 * Restores a reply that comes in pieces.
 *
 * `push` gives what is certain of the text so far and holds back only an end that may begin a token; `end` gives the rest.
 */
export class StreamRestorer {
  #mapping;
  #held = "";

  constructor(mapping) {
    this.#mapping = mapping;
  }

  push(piece) {
    const text = this.#held + piece;
    const open = text.lastIndexOf("<");
    const rest = open < 0 ? "" : text.slice(open);
    const mayGrow = rest !== "" && rest.length < LONGEST_TOKEN && beginsToken(rest);
    this.#held = mayGrow ? rest : "";
    return restore(mayGrow ? text.slice(0, open) : text, this.#mapping);
  }

  end() {
    const rest = restore(this.#held, this.#mapping);
    this.#held = "";
    return rest;
  }
}

function beginsToken(text) {
  const start = "<MASKED_";
  return text.length <= start.length ? start.startsWith(text) : /^<MASKED_[A-Z_]*(_[a-f0-9]{0,8})?$/.test(text);
}

async function keyFrom(bearer) {
  const material = await crypto.subtle.importKey("raw", new TextEncoder().encode(bearer), "HKDF", false, ["deriveBits"]);
  return new Uint8Array(await crypto.subtle.deriveBits({ name: "HKDF", hash: "SHA-256", salt: SALT, info: INFO }, material, 256));
}

async function decrypted(key, nonce, data) {
  if (key.length !== 32) throw new EnvelopeError("a key has 32 bytes");
  const secret = await crypto.subtle.importKey("raw", key, "AES-GCM", false, ["decrypt"]);
  return new Uint8Array(await crypto.subtle.decrypt({ name: "AES-GCM", iv: decoded(nonce) }, secret, decoded(data)));
}

function decoded(base64) {
  return Uint8Array.from(atob(base64), (character) => character.charCodeAt(0));
}

function encoded(bytes) {
  return btoa(String.fromCharCode(...bytes));
}
