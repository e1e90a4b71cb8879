import { Type } from '@sinclair/typebox';
import type { IntegrationInput } from '../channel';
import { maxPerSecondSetting } from '../rate';
import { isProjectId, readServiceAccount, type ServiceAccount } from './service-account';

export const fcmSettings = Type.Object({
  project_id: Type.Optional(
    Type.String({
      title: 'Project id',
      description:
        'The id of the Firebase project. When empty, the project of the service account is used.',
      pattern: '^[a-z][a-z0-9-]{4,28}[a-z0-9]$',
    }),
  ),
  max_per_second: maxPerSecondSetting(),
});

export const fcmCredentials = Type.Object({
  service_account: Type.String({
    title: 'Service account key',
    description:
      'The complete JSON file from the Firebase project settings, under "Service accounts".',
    minLength: 1,
    maxLength: 16_384,
  }),
});

export type FcmIntegration = { projectId: string; account: ServiceAccount };

/** The typed integration, or undefined when it was saved incomplete. */
export function readFcm({ settings, credentials }: IntegrationInput): FcmIntegration | undefined {
  const account = readServiceAccount(credentials['service_account']);
  if ('problem' in account) return undefined;
  const { project_id: configuredId } = settings;
  const projectId =
    typeof configuredId === 'string' && configuredId !== '' ? configuredId : account.projectId;
  return isProjectId(projectId) ? { projectId, account } : undefined;
}

/** Problems that the schemas cannot express. */
export function checkFcm({ credentials }: IntegrationInput): string[] {
  const account = readServiceAccount(credentials['service_account']);
  return 'problem' in account ? [`service_account ${account.problem}`] : [];
}
