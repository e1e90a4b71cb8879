import { settings } from '@belfry/runtime';
import type { Configuration } from './configuration';

/** Belfry's own settings hold its keys and passwords, so no file may send one of them anywhere. */
export function isOwnSetting(variable: string): boolean {
  return Object.hasOwn(settings, variable);
}

/** Names variables such as MAIN_SMTP_PASSWORD, each once. */
export function createNamer(local: Configuration | undefined) {
  const taken = new Set(
    local?.integrations.flatMap(({ credentials }) =>
      Object.values(credentials).map(({ env }) => env),
    ),
  );

  return function nameVariable(integration: string, credential: string): string {
    const plain = `${integration}_${credential}`
      .toUpperCase()
      .replace(/[^A-Z0-9]+/g, '_')
      .replace(/^_/, '')
      .replace(/^(?=\d)/, '_');
    let name = plain;
    for (let number = 2; taken.has(name) || isOwnSetting(name); number += 1) {
      name = `${plain}_${number}`;
    }
    taken.add(name);
    return name;
  };
}
