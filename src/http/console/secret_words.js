// Which names are those of secrets. The lists are those of `schema/secret_words.rs` (a test holds that).

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
