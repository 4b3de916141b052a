/** Prints the skipped tests at the end, one line for each reason. */
import { relative } from 'node:path';
import type { FullConfig, Reporter, TestCase } from '@playwright/test/reporter';

export default class LeftOut implements Reporter {
  #root = '';
  /** How many tests of each file, by the reason. */
  readonly #counts = new Map<string, Map<string, number>>();

  printsToStdio(): boolean {
    return false;
  }

  onBegin({ rootDir }: FullConfig): void {
    this.#root = rootDir;
  }

  onTestEnd({ annotations, location }: TestCase): void {
    const reason = annotations.find(({ type }) => type === 'skip')?.description;
    if (reason === undefined) return;
    const file = relative(this.#root, location.file);
    const counts = this.#counts.get(reason) ?? new Map<string, number>();
    this.#counts.set(reason, counts.set(file, (counts.get(file) ?? 0) + 1));
  }

  onEnd(): void {
    for (const [reason, counts] of this.#counts) {
      const files = [...counts].map(([file, count]) => `${count} of ${file}`).join(', ');
      process.stdout.write(`Left out: ${files}; ${reason}\n`);
    }
  }
}
