# One image for every role. docker-compose.yml sets the command of each container.

FROM node:24.22.3-bookworm-slim AS base
WORKDIR /app

FROM base AS build
COPY . .
# Install scripts of dependencies do not run. The build generates the Prisma client, without a native engine, and compiles.
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
RUN npm run build
# Only `npm start`, tests and callers need these packages.
RUN rm -rf apps/local packages/client packages/embedded packages/inbox packages/testing \
    && mkdir /out \
    && cp --parents --recursive \
        package.json LICENSE docs prisma/migrations \
        apps/*/package.json apps/*/dist packages/*/package.json packages/*/dist \
        /out

FROM base AS dependencies
COPY . .
# Omitting `optional` and `peer` leaves out the embedded PostgreSQL and the Prisma command line.
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --omit=dev --omit=optional --omit=peer \
    --workspace=apps/api --workspace=apps/worker --workspace=apps/cli --workspace=apps/dashboard
# npm puts a version that is not shared into the folder of its workspace.
RUN rm -rf apps/local packages/client packages/embedded packages/inbox packages/testing \
    && mkdir /out \
    && cp --parents --recursive node_modules $(find apps packages -maxdepth 2 -name node_modules) /out

FROM base
ENV NODE_ENV=production
COPY --from=dependencies /out ./
COPY --from=build /out ./
# The user `node` of the base image, as a number: Kubernetes can then verify that it is not root.
USER 1000:1000
CMD ["node", "--max-old-space-size=512", "--max-semi-space-size=16", "--no-parallel-scavenge", "apps/api/dist/main.js"]
