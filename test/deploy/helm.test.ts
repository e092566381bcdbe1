import { describe, expect, it } from 'vitest';
import { renderChart } from './helm-template.ts';

const objects = (overrides: object = {}) => renderChart('deploy/helm/cardbell', overrides);

/** The only object of this kind whose name has this ending, untyped for checks of single fields. */
function find(kind: string, end: string, overrides: object = {}) {
  const found = objects(overrides).filter(
    (object) => object['kind'] === kind && (object['metadata'] as { name: string }).name.endsWith(end),
  );
  expect(found, `one ${kind} …${end}`).toHaveLength(1);
  return JSON.parse(JSON.stringify(found[0]));
}

describe.each(['web', 'worker'])('the deployment of %s', (name) => {
  const { spec } = find('Deployment', `-${name}`);
  const pod = spec.template.spec;
  const [container] = pod.containers;

  it('runs its verb as an unprivileged user on a read-only file system', () => {
    expect(container.args).toEqual([name]);
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 10001 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
    expect(pod.automountServiceAccountToken).toBe(false);
  });

  it('is probed on the admin port, and has more time to stop than it needs', () => {
    expect(container.livenessProbe.httpGet).toEqual({ path: '/livez', port: 'admin' });
    expect(container.ports).toContainEqual({ name: 'admin', containerPort: 9464 });
    expect(find('ConfigMap', 'test').data).toMatchObject({ ADMIN_HOST: '0.0.0.0', ADMIN_PORT: '9464' });
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(8);
  });

  it('reads only its own secrets', () => {
    const secrets = container.envFrom.flatMap((from: { secretRef?: { name: string } }) => from.secretRef?.name ?? []);

    expect(secrets).toEqual(['cardbell-shared', `cardbell-${name}`]);
  });

  it('is selected by its labels, also by its disruption budget', () => {
    expect(spec.template.metadata.labels).toMatchObject(spec.selector.matchLabels);
    const budget = find('PodDisruptionBudget', `-${name}`);
    expect(budget.spec).toEqual({ minAvailable: 1, selector: { matchLabels: spec.selector.matchLabels } });
  });
});

describe('a pod of web', () => {
  const probe = (config: object = {}) =>
    find('Deployment', '-web', { config }).spec.template.spec.containers[0].readinessProbe.httpGet;

  it('gets requests whenever its port is open, because it takes clicks when Redis is full, and webhooks without Slack', () => {
    expect(probe()).toEqual({ path: '/healthz', port: 'http', scheme: 'HTTP' });
  });

  it('is probed over TLS if it serves HTTPS itself', () => {
    expect(probe({ TLS_CERT_FILE: '/etc/tls/tls.crt' })).toMatchObject({ path: '/healthz', scheme: 'HTTPS' });
  });
});

it('a pod of web that replaces an evicted one waits for neither Slack nor Redis', () => {
  const { startupProbe } = find('Deployment', '-web').spec.template.spec.containers[0];

  expect(startupProbe.httpGet).toEqual({ path: '/livez', port: 'admin' });
});

it('a pod of web stops only when requests go elsewhere', () => {
  const pod = find('Deployment', '-web').spec.template.spec;
  const [{ lifecycle }] = pod.containers;

  expect(lifecycle.preStop.exec.command).toEqual(['sleep', '5']);
  expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(8 + 5);
});

it('a rollout waits for each worker to be ready', () => {
  const { readinessProbe } = find('Deployment', '-worker').spec.template.spec.containers[0];

  expect(readinessProbe.httpGet).toEqual({ path: '/readyz', port: 'admin' });
});

describe('the network policies', () => {
  it('allow no traffic to the worker', () => {
    const { spec } = find('NetworkPolicy', '-worker');

    expect(spec).toMatchObject({ policyTypes: ['Ingress'], ingress: [] });
    expect(spec.podSelector.matchLabels['app.kubernetes.io/component']).toBe('worker');
  });

  it('allow configured monitoring to reach only the admin port of the worker', () => {
    const metricsFrom = [{ namespaceSelector: { matchLabels: { name: 'monitoring' } } }];

    const { spec } = find('NetworkPolicy', '-worker', { networkPolicy: { metricsFrom } });

    expect(spec.ingress).toEqual([{ from: metricsFrom, ports: [{ port: 'admin' }] }]);
  });

  it('allow all traffic to the public port of web', () => {
    expect(find('NetworkPolicy', '-web').spec.ingress).toEqual([{ ports: [{ port: 'http' }] }]);
  });
});

describe('the ingress', () => {
  it('exists only on request, and routes the paths that Slack and the card service need', () => {
    expect(objects().filter(({ kind }) => kind === 'Ingress')).toEqual([]);

    const { spec } = find('Ingress', 'test', { ingress: { enabled: true, host: 'bell.example', tlsSecret: 'bell' } });

    expect(spec.tls).toEqual([{ hosts: ['bell.example'], secretName: 'bell' }]);
    const paths = spec.rules[0].http.paths.map(({ path }: { path: string }) => path);
    expect(paths).toEqual(['/slack/events', '/webhooks', '/healthz', '/readyz']);
    expect(find('Service', '-web').spec.ports).toEqual([{ name: 'http', port: 80, targetPort: 'http' }]);
  });
});

it('an image digest takes precedence over its tag', () => {
  const imageOf = (image: object) => find('Deployment', '-web', { image }).spec.template.spec.containers[0].image;

  expect(imageOf({ repository: 'r/cardbell', tag: '1.2.3' })).toBe('r/cardbell:1.2.3');
  expect(imageOf({ repository: 'r/cardbell', tag: '1.2.3', digest: 'sha256:ab' })).toBe('r/cardbell@sha256:ab');
});

it('the ConfigMap contains non-secret variables, but not empty ones', () => {
  const { data } = find('ConfigMap', 'test', { config: { ALERTS_CHANNEL: 'C0ONE', OPERATORS: '' } });

  expect(data).toMatchObject({ ALERTS_CHANNEL: 'C0ONE', REDIS_URL: 'redis://redis:6379' });
  expect(data).not.toHaveProperty('OPERATORS');
});

it.each(['web', 'worker'])('%s reads the policy from a ConfigMap if one is configured', (name) => {
  const pod = (overrides: object) => find('Deployment', `-${name}`, overrides).spec.template.spec;

  expect(pod({}).volumes).toBeUndefined();
  const { volumes, containers } = pod({ policyConfigMap: 'company-policy' });
  expect(volumes).toEqual([{ name: 'policy', configMap: { name: 'company-policy' } }]);
  expect(containers[0].volumeMounts).toEqual([{ name: 'policy', mountPath: '/etc/cardbell/policy', readOnly: true }]);
});

it.each(['web', 'worker'])('%s mounts volumes of its own, which its user may write to, next to the policy', (name) => {
  const extraVolumes = [{ name: 'audit', persistentVolumeClaim: { claimName: 'cardbell-audit' } }];
  const extraVolumeMounts = [{ name: 'audit', mountPath: '/var/lib/cardbell' }];
  const pod = (of: string, overrides: object = {}) =>
    find('Deployment', `-${of}`, { [name]: { extraVolumes, extraVolumeMounts }, ...overrides }).spec.template.spec;

  expect(pod(name).volumes).toEqual(extraVolumes);
  expect(pod(name).containers[0].volumeMounts).toEqual(extraVolumeMounts);
  expect(pod(name).securityContext.fsGroup).toBe(10001);
  const { volumes, containers } = pod(name, { policyConfigMap: 'company-policy' });
  expect(volumes).toEqual([{ name: 'policy', configMap: { name: 'company-policy' } }, ...extraVolumes]);
  expect(containers[0].volumeMounts.map((mount: { name: string }) => mount.name)).toEqual(['policy', 'audit']);
  expect(pod(name === 'web' ? 'worker' : 'web').volumes).toBeUndefined();
});
