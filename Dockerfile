# Cardbell: one image for both processes. `docker run cardbell` is the web process, `docker run cardbell worker` the worker.
#
# The base is pinned by digest; Renovate proposes newer ones. Any image with glibc, Node 20.19 or newer, npm and tini can
# take its place: --build-arg BASE=...
ARG BASE=docker.io/library/node:24-bookworm-slim@sha256:6f7b03f7c2c8e2e784dcf9295400527b9b1270fd37b7e9a7285cf83b6951452d

FROM ${BASE} AS build
WORKDIR /app
COPY package.json package-lock.json .npmrc ./
# A registry of your own: docker build --secret id=npmrc,src=$HOME/.npmrc
RUN --mount=type=secret,id=npmrc,target=/root/.npmrc npm ci --ignore-scripts --no-audit --no-fund
COPY . .
# The programs are bundled with their packages, so the image needs no node_modules.
RUN npm run build && find dist -name '*.map' -delete

FROM ${BASE}
ARG VERSION=0.1.0
ARG REVISION=unknown
LABEL org.opencontainers.image.title="Cardbell" \
      org.opencontainers.image.description="A Slack bot for companies that run a business card program" \
      org.opencontainers.image.licenses="Apache-2.0" \
      org.opencontainers.image.version="${VERSION}" \
      org.opencontainers.image.revision="${REVISION}"
# Process 1: reaps children and forwards signals.
RUN command -v tini || (apt-get update && apt-get install -y --no-install-recommends tini && rm -rf /var/lib/apt/lists/*)
# For a volume: a new one gets the owner of this folder. Without a volume, what is written here is lost with the container.
RUN install -d -o 10001 -g 10001 -m 700 /var/lib/cardbell
# ADMIN_PORT is for the health check below, and for probes; it listens on 127.0.0.1 unless ADMIN_HOST says otherwise.
ENV NODE_ENV=production TZ=UTC ADMIN_PORT=9464
WORKDIR /app
COPY --from=build /app/package.json /app/manifest.json /app/Procfile /app/LICENSE ./
COPY --from=build /app/dist dist
USER 10001:10001
EXPOSE 3000 9464
STOPSIGNAL SIGTERM
# The same for web and worker.
HEALTHCHECK --interval=15s --timeout=3s --start-period=10s \
  CMD ["node", "-e", "fetch(`http://127.0.0.1:${process.env.ADMIN_PORT}/livez`).then((r) => process.exit(r.ok ? 0 : 1), () => process.exit(1))"]
ENTRYPOINT ["tini", "--", "node", "dist/bin/cardbell.js"]
CMD ["web"]
