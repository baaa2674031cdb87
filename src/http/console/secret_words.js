// What is kept in the store of the browser has no secret in it: RETYPE stands in its place, and is asked for again.
// The lists are those of `schema/secret_words.rs` (a test holds that).

import { MASK, tokens } from './words.js';

/** Stands for a secret that was typed and not kept. It has the form of a mask, so that no server takes it. */
export const RETYPE = '<secret:retype>';

const WORDS =
  'password passphrase passwd pass pwd psk secret token key iv license authorization credential credentials bearer jwt signature cookie tokens passcode pin otp pw sig hmac';
const KEYS = 'auth sid';
const ENDINGS =
  'password passphrase passwd secret accesstoken apitoken authtoken sessiontoken dbpass userpass userpwd apikey authkey accesskey accesskeyid mykey privatekey secretkey secretkeybase streamkey userkey sessionid sessid';

const LAST_WORDS = new Set(`${WORDS} ${KEYS}`.split(' '));
const LAST_LETTERS = ENDINGS.split(' ');

/**
 * True if the value of an option, a directive or a header with this name is a secret.
 * @param {string} name
 */
export function isSecretName(name) {
  const parts = name.replace(/([a-z])([A-Z])/g, '$1_$2').toLowerCase().replace(/\d+$/, '').split(/[^a-z0-9]+/);
  const joined = parts.join('');
  return LAST_WORDS.has(parts.at(-1) ?? '') || LAST_LETTERS.some((ending) => joined.endsWith(ending));
}

/**
 * A text of a configuration without the secrets that are in it in clear; masks stay.
 * @param {string} text
 */
export function withoutSecrets(text) {
  let [kept, at, keyword, argument] = ['', 0, '', 0];
  for (const { kind, start, end } of tokens(text)) {
    const word = text.slice(start, end);
    if (kind === 'keyword') [keyword, argument] = [word, 0];
    else argument += 1;
    kept += text.slice(at, start);
    at = end;
    if (kind === 'comment') kept += hasSecretWord(word) ? `# ${RETYPE}` : word;
    else if (kind === 'word' || kind === 'quoted') kept += withoutSecret(word, keyword, argument);
    else kept += word;
  }
  return kept + text.slice(at);
}

/**
 * A value without its secret.
 * @param {string} value
 * @param {string} name of the directive or member that holds it
 * @param {number} [place] among the words of the directive, from 1
 */
export function withoutSecret(value, name, place = 2) {
  const isAccount = /^(edit|view)_auth$/.test(name);
  if ((isAccount ? place > 1 : name !== 'auth' && isSecretName(name)) && !MASK.test(value)) return RETYPE;
  if (/^"?(authorization|cookie)\b|\bbearer\b/i.test(value)) return RETYPE;
  return value
    .replace(/(:\/\/)([^/@\s]*)@/g, (whole, start, user) => (MASK.test(user) ? whole : `${start}${RETYPE}@`))
    .replace(/([\w.-]+)([=:])([^&;"\s/][^&;"\s]*)/g, (whole, key, sign, inner) =>
      isSecretName(key) && !MASK.test(inner) ? key + sign + RETYPE : whole);
}

/** @param {string} text */
function hasSecretWord(text) {
  return text.split(/[^\w-]+/).some(isSecretName) || /:\/\/[^/\s]*@/.test(text);
}
