import playwright from 'eslint-plugin-playwright';
import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['node_modules/', 'playwright-report/', 'conformance-report/', 'test-results/', 'blob-report/'] },
  ...tseslint.configs.recommended,
  {
    rules: {
      // Playwright reads the names of fixtures from a destructured first parameter, which may be empty.
      'no-empty-pattern': 'off',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_' }],
    },
  },
  {
    // A test reads like its sentence: no condition, no try, no loop inside.
    files: ['tests/*.spec.ts', 'tests/after/*.spec.ts'],
    ...playwright.configs['flat/recommended'],
    rules: {
      ...playwright.configs['flat/recommended'].rules,
      'playwright/no-conditional-in-test': 'error',
      'playwright/no-conditional-expect': 'error',
      'playwright/no-standalone-expect': 'off',
      'playwright/valid-title': 'off',
      'no-restricted-syntax': [
        'error',
        { selector: 'CallExpression[callee.name="test"] TryStatement', message: 'no try in a test' },
      ],
    },
  },
  {
    // What judges knows no test, and the reference implementation shares nothing with what judges it.
    files: ['fixtures/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        { patterns: [{ group: ['**/tests/**'], message: 'fixtures/ never imports from tests/' }] },
      ],
    },
  },
  {
    files: ['fixtures/reference/**/*.ts'],
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              group: ['**/contract/**', '**/target/**', '**/expect/**', '**/report/**', '**/tests/**'],
              message: 'the reference shares nothing with what judges it',
            },
          ],
        },
      ],
    },
  },
);
