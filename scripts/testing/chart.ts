// SPDX-License-Identifier: MIT
// Renders the chart with Helm itself, and holds what comes out against Kubernetes' own schemas.
import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import { parseAllDocuments } from 'yaml'
import { chartToolsDir, root } from '../setup/paths.mjs'

export const chart = join(root, 'packaging/helm/farmstead')
export const fullValues = join(chart, 'ci/full-values.yaml')

/** As deep as anybody looks: the schemas say what it is. */
// biome-ignore lint/suspicious/noExplicitAny: manifests have no types here
export type Manifest = any

export function helm(...args: string[]): { ok: boolean; output: string } {
  const { status, stdout, stderr } = spawnSync(join(chartToolsDir, 'helm/helm'), args, {
    encoding: 'utf8',
    // Nobody's settings and plugins, and no cluster that somebody has signed in to.
    env: { HOME: chartToolsDir, KUBECONFIG: '/dev/null', HELM_NO_PLUGINS: '1' },
  })
  return { ok: status === 0, output: `${stdout}${stderr}` }
}

export const textOf = (...args: string[]): string => {
  const { ok, output } = helm('template', 'farm', chart, '--namespace', 'web', ...args)
  if (!ok) throw new Error(output)
  return output
}

export const manifestsIn = (text: string): Manifest[] =>
  parseAllDocuments(text)
    .map((document) => {
      if ('errors' in document && document.errors[0]) throw document.errors[0]
      return 'toJS' in document ? document.toJS() : null
    })
    .filter((manifest) => manifest !== null)

export const render = (...args: string[]): Manifest[] => manifestsIn(textOf(...args))

export function theOne(manifests: Manifest[], kind: string, name?: string): Manifest {
  const found = manifests.filter(
    (one) => one.kind === kind && (name === undefined || one.metadata.name === name),
  )
  if (found.length !== 1) throw new Error(`${found.length} of ${kind} ${name ?? ''}`)
  return found[0]
}

/** Of kinds that Kubernetes has by itself. */
export function createSchemas(version: string): (manifest: Manifest) => string[] {
  const folder = `kubernetes_validate/kubernetes-json-schema/v${version}-local-strict`
  const read = (name: string) =>
    JSON.parse(readFileSync(join(chartToolsDir, 'schemas', folder, name), 'utf8'))
  const ajv = new Ajv2020({ strict: false, validateFormats: false, allErrors: true })
  ajv.addSchema(read('_definitions.json'), '/api/_definitions.json')
  const known = new Map<string, ValidateFunction>()
  return (manifest) => {
    const { apiVersion, kind } = manifest
    const [group, version] = apiVersion.includes('/') ? apiVersion.split('/') : ['', apiVersion]
    const short = group ? `-${group.split('.')[0]}` : ''
    const name = `${kind.toLowerCase()}${short}-${version}.json`
    const validate = known.get(name) ?? ajv.compile(read(name))
    known.set(name, validate)
    if (validate(manifest)) return []
    return (validate.errors ?? []).map(
      ({ instancePath, message, params }) =>
        `${kind} ${instancePath} ${message} ${JSON.stringify(params)}`,
    )
  }
}
