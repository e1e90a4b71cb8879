// Reads what the generated documents describe from the build.

export async function readCode() {
  const [runtime, shared, channels, { contract }, ...routes] = await Promise.all([
    import('../packages/runtime/dist/index.js'),
    import('../packages/shared/dist/index.js'),
    import('../packages/channels/dist/index.js'),
    import('../apps/dashboard/dist/api/contract.js'),
    import('../apps/api/dist/routes/events.js'),
    import('../apps/api/dist/routes/bulk-events.js'),
    import('../apps/api/dist/routes/cancel.js'),
    import('../apps/api/dist/routes/users.js'),
    import('../apps/api/dist/routes/devices.js'),
    import('../apps/api/dist/routes/user-inbox.js'),
    import('../apps/api/dist/routes/push-status.js'),
    import('../apps/api/dist/routes/open-push.js'),
    import('../apps/api/dist/routes/sdk-operations.js'),
    import('../apps/api/dist/routes/request-status.js'),
    import('../apps/api/dist/routes/sandbox.js'),
    import('../apps/api/dist/routes/preferences.js'),
    import('../apps/api/dist/routes/webhooks.js'),
  ]);
  const code = { ...runtime, ...shared, ...channels };
  return {
    ...code,
    contract,
    operations: createOperations(Object.assign({}, ...routes), code.channels),
    metricFamilies: await readMetricFamilies(code),
  };
}

/** Every operation of the API, except the inbox of front ends. Creating a route calls none of its dependencies. */
function createOperations(routes, channels) {
  const backendRoutes = [
    routes.createSendEventRoute({ channels }),
    routes.createBulkSendRoute({ channels, maxBatchItems: 1_000 }),
    routes.createCancelRoute({}),
    ...Object.values(routes.createUserRoutes({ channels })),
    ...Object.values(routes.createPreferencesRoutes({ channels })),
    ...Object.values(routes.createDeviceRoutes({})),
    routes.createUserInboxRoute({}),
    routes.createPushStatusRoute({}),
    ...Object.values(routes.createRequestStatusRoutes({})),
    routes.createSandboxRoute({ channels }),
    ...Object.values(routes.createWebhookRoutes({})),
  ];
  return [
    ...backendRoutes.map(({ operation }) => operation),
    ...Object.values(routes.openPushOperations),
    ...routes.listSdkOperations({}),
  ];
}

/** Name, type and help of every metric, in the order of the exposition format. */
async function readMetricFamilies({ createMetrics }) {
  const text = await createMetrics({
    readQueueJobs: async () => [],
    readOldestWaiting: async () => [],
    readNeedsAttention: async () => [],
    readStorage: async () => undefined,
    countStreams: () => 0,
    readWebhooks: async () => undefined,
  }).read();
  return [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)$/gm)].map(
    ([, name, help, type]) => ({
      name,
      help,
      type,
    }),
  );
}
