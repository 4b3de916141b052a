# The suite for teams that do not know Node: `docker run … animal-store-conformance [arguments of playwright test]`.
FROM node:24-bookworm-slim AS build
WORKDIR /suite
COPY package.json package-lock.json .npmrc ./
RUN npm ci --ignore-scripts
COPY . .
RUN npm pack --pack-destination /suite

FROM node:24-bookworm-slim
COPY --from=build /suite/animal-store-conformance-*.tgz /opt/
# Reports go into /work, whichever user the container is run as.
RUN npm install --global --ignore-scripts /opt/animal-store-conformance-*.tgz \
    && npm cache clean --force \
    && mkdir -m 1777 /work /work/conformance-report
WORKDIR /work
USER node
ENTRYPOINT ["animal-store-conformance"]
