import { Type } from '@sinclair/typebox';
import type { IntegrationInput } from '../channel';
import { maxPerSecondSetting } from '../rate';
import { isProjectId, readServiceAccount, type ServiceAccount } from './service-account';

export const fcmSettings = Type.Object({
  project_id: Type.Optional(
    Type.String({
      title: 'Project id',
      description: 'Of Firebase; without one that of the service account is used.',
      pattern: '^[a-z][a-z0-9-]{4,28}[a-z0-9]$',
    }),
  ),
  max_per_second: maxPerSecondSetting(),
});

export const fcmCredentials = Type.Object({
  service_account: Type.String({
    title: 'Key of the service account',
    description:
      'The JSON file from the project settings of Firebase, under "Service accounts", whole.',
    minLength: 1,
    maxLength: 16_384,
  }),
});

export type FcmIntegration = { projectId: string; account: ServiceAccount };

/** The integration in types, or undefined when it was saved incomplete. */
export function readFcm({ settings, credentials }: IntegrationInput): FcmIntegration | undefined {
  const account = readServiceAccount(credentials['service_account']);
  if ('problem' in account) return undefined;
  const { project_id: configuredId } = settings;
  const projectId =
    typeof configuredId === 'string' && configuredId !== '' ? configuredId : account.projectId;
  return isProjectId(projectId) ? { projectId, account } : undefined;
}

/** The problems that the schemas cannot say. */
export function checkFcm({ credentials }: IntegrationInput): string[] {
  const account = readServiceAccount(credentials['service_account']);
  return 'problem' in account ? [`service_account ${account.problem}`] : [];
}
