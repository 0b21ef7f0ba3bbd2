// SPDX-License-Identifier: MIT
// The Helm chart: linted and rendered by Helm itself, with its defaults and with everything on.
import assert from 'node:assert/strict'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, it } from 'node:test'
import { parse } from 'yaml'
import { unknownNames } from '../../control-api/src/base/known-environment.ts'
import { ConfigRefused, envToConfig } from '../../control-api/src/environment/config.ts'
import { hasHelm } from '../setup/helm.mjs'
import { root } from '../setup/paths.mjs'
import {
  chart,
  createSchemas,
  fullValues,
  helm,
  type Manifest,
  manifestsIn,
  render,
  textOf,
  theOne,
} from '../testing/chart.ts'

const WAYS = { defaults: [], 'everything on': ['--values', fullValues] }
const OF_OPERATORS = ['ServiceMonitor']

const podOf = (manifests: Manifest[]) => theOne(manifests, 'StatefulSet').spec.template
const containerOf = (manifests: Manifest[]) => podOf(manifests).spec.containers[0]
/** As Kubernetes gives them to the first pod. */
function envOf(manifests: Manifest[]): Record<string, string> {
  const pod = `${theOne(manifests, 'StatefulSet').metadata.name}-0`
  return Object.fromEntries(
    containerOf(manifests).env.map(({ name, value = pod }: Manifest) => [
      name,
      value.replaceAll('$(POD_NAME)', pod),
    ]),
  )
}
const matches = (labels: Manifest, wanted: Manifest) =>
  Object.entries(wanted).every(([name, value]) => labels[name] === value)

describe('the chart', { skip: hasHelm ? false : `no Helm for ${process.arch}` }, () => {
  for (const [way, args] of Object.entries(WAYS)) {
    describe(`with ${way}`, () => {
      const text = hasHelm ? textOf(...args) : ''
      const manifests = manifestsIn(text)
      const pod = podOf(manifests)
      const container = containerOf(manifests)

      it('is linted', () => {
        const { ok, output } = helm('lint', '--strict', chart, ...args)
        assert.ok(ok, output)
        assert.match(output, /1 chart\(s\) linted, 0 chart\(s\) failed/)
      })

      for (const version of ['1.27.0', '1.37.0']) {
        it(`is what Kubernetes ${version} takes`, () => {
          const faults = createSchemas(version)
          const own = manifests.filter(({ kind }) => !OF_OPERATORS.includes(kind))
          assert.ok(own.length >= 7, `${own.length} manifests`)
          assert.deepEqual(own.flatMap(faults), [])
          const wrong = structuredClone(theOne(manifests, 'StatefulSet'))
          wrong.spec.template.spec.containers[0].livenessProb = {}
          assert.match(faults(wrong).join(), /livenessProb/)
        })
      }

      it('holds no secret: it names those that are there', () => {
        assert.ok(!manifests.some(({ kind }) => ['Secret', 'ConfigMap'].includes(kind)))
        assert.doesNotMatch(text, /postgres(ql)?:\/\/|PRIVATE KEY|password: /)
        for (const { secret } of pod.spec.volumes) {
          // 0400: the kubelet lets the group read besides.
          if (secret) assert.equal(secret.defaultMode, 0o400, secret.secretName)
        }
        for (const { name, value } of container.env) {
          if (/PASSWORD|SECRET|KEY|TOKEN|DATABASE_URL/.test(name))
            assert.match(value, /^\/run\/farmstead\//)
        }
      })

      it('gives its containers no right, and nothing to write to but volumes', () => {
        const { securityContext, containers, initContainers = [] } = pod.spec
        assert.equal(securityContext.runAsNonRoot, true)
        assert.equal(securityContext.seccompProfile.type, 'RuntimeDefault')
        assert.equal(securityContext.runAsUser, securityContext.fsGroup)
        const dockerfile = readFileSync(join(root, 'control-api/Dockerfile'), 'utf8')
        assert.match(dockerfile, new RegExp(`useradd --uid ${securityContext.runAsUser} `))
        assert.equal(pod.spec.automountServiceAccountToken, false)
        assert.equal(pod.spec.hostNetwork, undefined)
        for (const { securityContext: own } of [...containers, ...initContainers]) {
          assert.deepEqual(own, {
            allowPrivilegeEscalation: false,
            readOnlyRootFilesystem: true,
            capabilities: { drop: ['ALL'] },
          })
        }
      })

      it('sets names that the service knows, to what it takes', () => {
        const env = envOf(manifests)
        assert.deepEqual(unknownNames(env), [])
        assert.deepEqual(problemsOf(env), [
          // Files of the container, which are not here.
          'FARMSTEAD_DATABASE_URL_FILE names a file that cannot be read, /run/farmstead/database/url',
          ...(way === 'defaults'
            ? []
            : [
                'FARMSTEAD_SMTP_PASSWORD_FILE names a file that cannot be read, /run/farmstead/secrets/smtp/password',
              ]),
        ])
      })

      it('mounts a volume for each path that it names', () => {
        const mounts: Manifest[] = container.volumeMounts
        const claims: Manifest[] = theOne(manifests, 'StatefulSet').spec.volumeClaimTemplates ?? []
        const volumes = [...pod.spec.volumes, ...claims.map(({ metadata }) => metadata)]
        assert.deepEqual(
          mounts.map(({ name }) => name).sort(),
          volumes.map(({ name }) => name).sort(),
        )
        for (const [name, value] of Object.entries(envOf(manifests))) {
          if (!/_(DIR|FILE)$/.test(name)) continue
          const mount = mounts.find(
            ({ mountPath }) => value === mountPath || value.startsWith(`${mountPath}/`),
          )
          assert.ok(mount, `${name}=${value}`)
          assert.equal(mount.readOnly === true, value.startsWith('/run/farmstead/'), name)
        }
      })

      it('asks each replica for itself, and leads to ports that there are', () => {
        const config = envToConfig({ FARMSTEAD_DATA_DIR: '/data' })
        const ports: Record<string, number> = Object.fromEntries(
          container.ports.map(({ name, containerPort }: Manifest) => [name, containerPort]),
        )
        assert.deepEqual(
          { ...ports },
          {
            ...{ console: config.port, agents: config.agent.port },
            replicas: Number(envOf(manifests).FARMSTEAD_REPLICA_ADDRESS?.split(':')[1]),
          },
        )
        // Over plain HTTP, whatever the console speaks. While nobody leads none is restarted (helm/charts' issue 23862), and who
        // follows is ready: an upgrade waits for that (plugin-barman-cloud's issue 419).
        const { startupProbe, livenessProbe, readinessProbe } = container
        assert.equal(startupProbe, undefined)
        assert.deepEqual(livenessProbe.httpGet, { path: '/live', port: 'replicas' })
        assert.deepEqual(readinessProbe.httpGet, { path: '/ready', port: 'replicas' })
        for (const { spec } of manifests.filter(({ kind }) => kind === 'Service'))
          for (const { targetPort } of spec.ports) assert.ok(ports[targetPort], targetPort)
      })

      it('leads to its pods, whoever selects', () => {
        const { labels } = pod.metadata
        const selectors = manifests.flatMap(({ kind, spec }) => {
          if (kind === 'Service') return [spec.selector]
          if (kind === 'NetworkPolicy') return [spec.podSelector.matchLabels]
          return ['StatefulSet', 'PodDisruptionBudget'].includes(kind)
            ? [spec.selector.matchLabels]
            : []
        })
        assert.ok(selectors.length >= 5)
        for (const selector of selectors) assert.ok(matches(labels, selector))
      })

      it('gives each replica a name at which the others reach it', () => {
        const set = theOne(manifests, 'StatefulSet')
        const service = theOne(manifests, 'Service', set.spec.serviceName)
        assert.equal(service.spec.clusterIP, 'None')
        assert.equal(service.spec.publishNotReadyAddresses, true)
        assert.equal(
          envOf(manifests).FARMSTEAD_REPLICA_ADDRESS,
          `${set.metadata.name}-0.${service.metadata.name}.web.svc:9702`,
        )
        // A name is put in where it was said before.
        const names = container.env.map(({ name }: Manifest) => name)
        assert.ok(names.indexOf('POD_NAME') < names.indexOf('FARMSTEAD_REPLICA_ADDRESS'))
        assert.equal(set.spec.podManagementPolicy, 'Parallel')
      })
    })
  }

  // krakend-helm's issue 8, dify's 539: a Service of the release's name becomes variables of the program's.
  it('keeps the variables of Services away, which would be settings', () => {
    assert.equal(podOf(render()).spec.enableServiceLinks, false)
    const link = { FARMSTEAD_DATA_DIR: '/data', FARMSTEAD_PORT: 'tcp://10.43.126.100:9700' }
    assert.match(problemsOf(link).join(), /FARMSTEAD_PORT must be a port/)
  })

  // Helm's issue 12195.
  it('writes a million as a number', () => {
    const { FARMSTEAD_RELEASES_MAX_FILES: files } = envOf(render('--values', fullValues))
    assert.equal(files, '2000000')
  })

  it('has names of at most 63 characters, however long the release is called', () => {
    const release = `a${'23456789-'.repeat(5)}2345678`
    assert.equal(release.length, 53)
    const { ok, output } = helm('template', release, chart)
    assert.ok(ok, output)
    const manifests = manifestsIn(output)
    for (const { kind, metadata } of manifests)
      assert.ok(metadata.name.length <= 63, `${kind} ${metadata.name}`)
    // With "-" and a hash of ten it is a label of each pod.
    assert.ok(theOne(manifests, 'StatefulSet').metadata.name.length <= 52)
  })

  const refused: [what: string, said: RegExp][] = [
    ['replica=2', /additional properties 'replica' not allowed/],
    ['replicas=0', /replicas.*minimum/],
    ['database.existingSecret=', /existingSecret.*pattern/],
    ['database.url=postgres://a:b@c/d', /additional properties 'url' not allowed/],
    ['settings.FARMSTEAD_PORT=80', /invalid propertyName 'FARMSTEAD_PORT'/],
    ['settings.DATABASE_URL=x', /invalid propertyName 'DATABASE_URL'/],
    ['settings.FARMSTEAD_SECRETS_KEY_FILE=/x', /invalid propertyName 'FARMSTEAD_SECRETS_KEY_FILE'/],
    ['agents.url=http://plain.example.org', /agents\/url.*pattern/],
    ['image.digest=latest', /image\/digest.*pattern/],
    ['ingress.enabled=true', /ingress\.host must be the console's name/],
    ['serviceMonitor.enabled=true', /serviceMonitor\.tokenSecret must name a Secret/],
  ]
  for (const [what, said] of refused) {
    it(`refuses ${what}`, () => {
      const { ok, output } = helm('template', 'farm', chart, '--set', what)
      assert.ok(!ok)
      assert.match(output, said)
    })
  }

  it('is of the version that the control plane has', () => {
    const { appVersion } = parse(readFileSync(join(chart, 'Chart.yaml'), 'utf8'))
    const { version } = JSON.parse(readFileSync(join(root, 'control-api/package.json'), 'utf8'))
    assert.equal(appVersion, version)
  })

  it('tells in its README of each value, and of none that there is not', () => {
    const values = parse(readFileSync(join(chart, 'values.yaml'), 'utf8'))
    const readme = readFileSync(join(chart, 'README.md'), 'utf8')
    const told = [...readme.matchAll(/^\| (`[^|]+`) \|/gm)].flatMap(([, cell = '']) =>
      [...cell.matchAll(/`([\w.]+)`/g)].map(([, name]) => name),
    )
    assert.deepEqual(told.sort(), pathsIn(values).sort())
  })
})

/** Each thing that can be set: `image.tag`, and of what is empty its own name. */
function pathsIn(values: Record<string, unknown>, before = ''): string[] {
  return Object.entries(values).flatMap(([name, value]) => {
    const path = `${before}${name}`
    const isGroup = typeof value === 'object' && value !== null && !Array.isArray(value)
    if (!isGroup || Object.keys(value).length === 0 || path === 'resources') return [path]
    return pathsIn(value as Record<string, unknown>, `${path}.`)
  })
}

function problemsOf(env: Record<string, string>): string[] {
  try {
    envToConfig(env)
    return []
  } catch (error) {
    if (error instanceof ConfigRefused) return error.problems
    throw error
  }
}
