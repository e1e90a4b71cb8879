// What the made documents are made from, as the build left it.

export async function readCode() {
  const [runtime, shared, channels, ...routes] = await Promise.all([
    import('../packages/runtime/dist/index.js'),
    import('../packages/shared/dist/index.js'),
    import('../packages/channels/dist/index.js'),
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
  return { ...code, operations: operationsOf(Object.assign({}, ...routes), code.channels) };
}

/** The operations that callers have; building a route calls nothing of what it will need. */
function operationsOf(routes, channels) {
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
