import playwright from 'eslint-plugin-playwright';
import tseslint from 'typescript-eslint';

/** The folders of the product, in the order in which data flows through them. */
const layers = ['settings', 'contract', 'target', 'trace', 'scenario', 'report'];

/** Forbids to import these folders or files of the product, and tests in any case. */
const importing = (forbidden, message) => ({
  'no-restricted-imports': [
    'error',
    {
      patterns: [
        { group: ['**/tests/**'], message: 'fixtures/ never imports from tests/' },
        ...forbidden.map((name) => ({
          group: [`**/${name}/**`, `../${name}.ts`, `../../${name}.ts`, `../../../${name}.ts`],
          message,
        })),
      ],
    },
  ],
});

/** What the report may not import. */
const ofReport = [
  { group: ['**/tests/**'], message: 'fixtures/ never imports from tests/' },
  { group: ['**/begin.ts', '../../index.ts', '../index.ts'], message: 'report comes before it' },
];

export default tseslint.config(
  {
    ignores: [
      'node_modules/',
      'playwright-report/',
      'conformance-report/',
      'conformance-playwright/',
      'proof-report/',
      'verified-report/',
      'test-results/',
      'blob-report/',
    ],
  },
  ...tseslint.configs.recommended,
  {
    // A promise that nobody waits for is a test that cannot fail.
    files: ['**/*.ts'],
    languageOptions: { parserOptions: { projectService: true } },
    rules: {
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/no-misused-promises': 'error',
      '@typescript-eslint/await-thenable': 'error',
    },
  },
  {
    rules: {
      // Playwright reads the names of fixtures from a destructured first parameter, which may be empty.
      'no-empty-pattern': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', ignoreRestSiblings: true }],
    },
  },
  {
    // A test reads like its sentence: no condition, no try, no loop inside.
    files: ['tests/*.spec.ts'],
    ...playwright.configs['flat/recommended'],
    rules: {
      ...playwright.configs['flat/recommended'].rules,
      'playwright/no-conditional-in-test': 'error',
      'playwright/no-conditional-expect': 'error',
      'playwright/no-standalone-expect': 'off',
      'playwright/valid-title': 'off',
      // A precondition stands in its test: `test.skip(condition, reason)`.
      'playwright/no-skipped-test': ['error', { allowConditional: true }],
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['**/fixtures/*/**', '**/begin.ts'], message: 'tests import from fixtures/index.ts' }] },
      ],
      'no-restricted-syntax': [
        'error',
        { selector: 'CallExpression[callee.name="test"] TryStatement', message: 'no try in a test' },
      ],
    },
  },
  // Data flows one way: no folder imports one that comes after it, types included.
  ...layers.map((folder, place) => ({
    files: [`fixtures/${folder}/**/*.ts`],
    rules: importing([...layers.slice(place + 1), 'begin', 'index', 'judge'], `${folder} comes before it`),
  })),
  // Findings are judged once: the report renders them, and asks no rule or matcher again.
  { files: ['fixtures/report/**/*.ts'], rules: { 'no-restricted-imports': ['error', { patterns: ofReport }] } },
  {
    files: ['fixtures/report/model/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [...ofReport, { group: ['../run/*', '../out/*'], message: 'the model comes before run/ and out/' }],
        },
      ],
    },
  },
  { files: ['fixtures/*.ts'], rules: importing([], '') },
  {
    files: ['fixtures/reference/**/*.ts'],
    rules: importing([...layers, 'begin', 'index', 'text'], 'the reference shares nothing with what judges it'),
  },
);
