// SPDX-License-Identifier: MIT
// schemathesis calls the API with whatever its description allows. It is a Python program: a virtual
// environment in .tools/ holds it, so nothing of the machine's own Python changes.
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { schemathesisDir } from './paths.mjs'

const REQUIREMENT = 'schemathesis==4.32.5'

/** @param {import('./steps.mjs').Steps} steps */
export async function ensureSchemathesis(steps) {
  await steps.step('schemathesis', async () => {
    // Written last, so that a half-made environment is made anew; its programs name the folder they are in.
    const stamp = join(schemathesisDir, 'farmstead-stamp')
    const wanted = `${REQUIREMENT} in ${schemathesisDir}`
    if (existsSync(stamp) && readFileSync(stamp, 'utf8') === wanted) return null
    rmSync(schemathesisDir, { recursive: true, force: true })
    // Debian's own: another Python on the PATH may come without venv.
    await steps.run('/usr/bin/python3', ['-m', 'venv', schemathesisDir])
    const quiet = ['--quiet', '--disable-pip-version-check', '--no-input']
    await steps.run(join(schemathesisDir, 'bin/pip'), ['install', ...quiet, REQUIREMENT])
    writeFileSync(stamp, wanted)
    return 'installed'
  })
}
