# One image for every role; docker-compose.yml says which command a container runs.

FROM node:24.22.3-bookworm-slim AS base
WORKDIR /app

FROM base AS build
COPY . .
# No script of a dependency runs. The build generates the Prisma client, without a native engine, and compiles.
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts
RUN npm run build
# What `npm start`, the tests and callers need stays behind.
RUN rm -rf apps/local packages/client packages/embedded packages/testing \
    && mkdir /out \
    && cp --parents --recursive \
        package.json LICENSE prisma/migrations \
        apps/*/package.json apps/*/dist packages/*/package.json packages/*/dist \
        /out

FROM base AS dependencies
COPY . .
# Without `optional` and `peer` neither the embedded PostgreSQL nor the command line of Prisma comes along.
RUN --mount=type=cache,target=/root/.npm npm ci --ignore-scripts --omit=dev --omit=optional --omit=peer \
    --workspace=apps/api --workspace=apps/worker --workspace=apps/cli --workspace=apps/dashboard
# A version that is not shared lies in the folder of its workspace.
RUN rm -rf apps/local packages/client packages/embedded packages/testing \
    && mkdir /out \
    && cp --parents --recursive node_modules $(find apps packages -maxdepth 2 -name node_modules) /out

FROM base
ENV NODE_ENV=production
COPY --from=dependencies /out ./
COPY --from=build /out ./
# The user `node` of the base image, by number, so that a cluster can tell that it is not root.
USER 1000:1000
CMD ["node", "--max-old-space-size=512", "--max-semi-space-size=16", "--no-parallel-scavenge", "apps/api/dist/main.js"]
