# Builds the program. The build tools do not reach the final image.
FROM node:24.22.3-bookworm-slim AS build
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --no-audit --no-fund
COPY . .
RUN npm run build

# Production packages only: no compiler, no tests, and no embedded Postgres, because DATABASE_URL names a real one.
FROM node:24.22.3-bookworm-slim AS packages
WORKDIR /app
COPY package.json package-lock.json ./
RUN npm ci --omit=dev --omit=optional --no-audit --no-fund && npm cache clean --force

FROM node:24.22.3-bookworm-slim
LABEL org.opencontainers.image.title="Carillon" \
  org.opencontainers.image.description="Queue-driven dispatcher of outbound AI phone calls" \
  org.opencontainers.image.licenses="MIT"
ENV NODE_ENV=production HOST=0.0.0.0 PORT=3000 CARILLON_HOME=/var/lib/carillon
WORKDIR /app
# Nothing is installed here any more.
RUN rm -rf /usr/local/lib/node_modules /usr/local/bin/npm /usr/local/bin/npx /usr/local/bin/corepack /opt/yarn-*
# Call ids are spooled here while the ledger is unreachable: a volume, so that they outlive the container.
RUN mkdir -p /var/lib/carillon && chown node:node /var/lib/carillon
COPY --from=packages /app/node_modules ./node_modules
COPY --from=build /app/dist ./dist
COPY package.json ./
COPY bin ./bin
COPY examples ./examples
COPY docs ./docs
COPY llms.txt LICENSE NOTICE ./
USER node
VOLUME /var/lib/carillon
EXPOSE 3000
# The shell asks: a Node of its own each ten seconds would cost more than the program at rest.
HEALTHCHECK --interval=10s --timeout=5s --start-period=20s --retries=3 \
  CMD ["bash", "-c", "exec 3<>/dev/tcp/127.0.0.1/$PORT && printf 'GET /healthz HTTP/1.0\\r\\nHost: 127.0.0.1:%s\\r\\n\\r\\n' $PORT >&3 && read -r _ status _ <&3 && test $status = 200"]
ENTRYPOINT ["node", "bin/carillon.js"]
CMD ["up"]
