# Builds the program. The build tools do not reach the final image.
FROM node:22.23.1-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build

# Production packages only: no compiler, no tests, and no embedded Postgres, because DATABASE_URL names a real one.
FROM node:22.23.1-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund && npm cache clean --force

FROM node:22.23.1-bookworm-slim
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 CARILLON_HOME=/var/lib/carillon
WORKDIR /app
# Call ids are spooled here while the ledger is unreachable: a volume, so that they outlive the container.
RUN mkdir -p /var/lib/carillon && chown node:node /var/lib/carillon
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY bin ./bin
COPY examples ./examples
COPY docs ./docs
COPY llms.txt ./
USER node
VOLUME /var/lib/carillon
EXPOSE 3000
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.PORT}/healthz`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["node", "bin/carillon.js"]
CMD ["up"]
