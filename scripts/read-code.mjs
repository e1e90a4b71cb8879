// Reads what the generated documents describe from the build.

export async function readCode() {
  const [runtime, shared, channels, { contract }, ...routes] = await Promise.all([
    import('../packages/runtime/dist/index.js'),
    import('../packages/shared/dist/index.js'),
    import('../packages/channels/dist/index.js'),
    import('../apps/dashboard/dist/api/contract.js'),
    import('../apps/api/dist/routes/events.js'),
    import('../apps/api/dist/routes/bulk-events.js'),
    import('../apps/api/dist/routes/users.js'),
    import('../apps/api/dist/routes/devices.js'),
    import('../apps/api/dist/routes/user-inbox.js'),
    import('../apps/api/dist/routes/push-status.js'),
    import('../apps/api/dist/routes/request-status.js'),
    import('../apps/api/dist/routes/sandbox.js'),
  ]);
  const code = { ...runtime, ...shared, ...channels };
  return {
    ...code,
    contract,
    operations: createOperations(Object.assign({}, ...routes), code.channels),
    metricFamilies: await readMetricFamilies(code),
  };
}

/** Every operation of the API. Creating a route calls none of its dependencies. */
function createOperations(routes, channels) {
  return [
    routes.createSendEventRoute({ channels }),
    routes.createBulkSendRoute({ channels, maxBatchItems: 1_000 }),
    ...Object.values(routes.createUserRoutes({ channels })),
    ...Object.values(routes.createDeviceRoutes({})),
    routes.createUserInboxRoute({}),
    routes.createPushStatusRoute({}),
    routes.createRequestStatusRoute({}),
    routes.createSandboxRoute({ channels }),
  ].map(({ operation }) => operation);
}

/** Name, type and help of every metric, in the order of the exposition format. */
async function readMetricFamilies({ createMetrics }) {
  const text = await createMetrics({
    readQueueJobs: async () => [],
    readOldestWaiting: async () => [],
    readStorage: async () => undefined,
  }).read();
  return [...text.matchAll(/^# HELP (\S+) (.*)\n# TYPE \S+ (\w+)$/gm)].map(
    ([, name, help, type]) => ({
      name,
      help,
      type,
    }),
  );
}
