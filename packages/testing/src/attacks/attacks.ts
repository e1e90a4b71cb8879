import { bodyAttacks } from './bodies';
import { credentialAttacks } from './credentials';
import { hardeningAttacks } from './hardening';
import { operatorAttacks } from './operators';
import { originAttacks } from './origins';
import { patternAttacks } from './patterns';
import { renderingAttacks } from './rendering';
import { storageAttacks } from './storage';
import { storeAttacks } from './stores';
import type { Attack } from './target';
import { wrongInputAttacks } from './wrong-input';

/** Every attack that worked in a security review of the running product, in the order of execution. */
export const attacks: readonly Attack[] = [
  ...storeAttacks,
  ...originAttacks,
  ...credentialAttacks,
  ...operatorAttacks,
  ...wrongInputAttacks,
  ...patternAttacks,
  ...bodyAttacks,
  ...renderingAttacks,
  ...storageAttacks,
  ...hardeningAttacks,
];
