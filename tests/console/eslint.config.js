// The rules for the files of the console and for their tests.

import globals from 'globals';

const rules = {
  'no-undef': 'error',
  'no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
  'no-var': 'error',
  'prefer-const': 'error',
  eqeqeq: 'error',
  'no-eval': 'error',
  'no-implied-eval': 'error',
  'no-new-func': 'error',
  'no-shadow': 'error',
  'no-console': 'error',
  'no-restricted-properties': ['error', ...['innerHTML', 'outerHTML', 'insertAdjacentHTML'].map((property) => ({ property }))],
  'max-lines': ['error', 400],
};

/** The server sends no blanks in front of lines. */
const ofTexts = {
  'no-multi-str': 'error',
  'no-restricted-syntax': ['error', { selector: 'TemplateElement[value.raw=/\\n/]', message: 'a text over several lines loses its blanks' }],
};

export default [
  { files: ['src/http/console/*.js'], languageOptions: { globals: globals.browser }, rules: { ...rules, ...ofTexts } },
  { files: ['tests/console/**/*.js'], languageOptions: { globals: { ...globals.node, ...globals.browser } }, rules },
];
