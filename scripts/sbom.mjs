// SPDX-License-Identifier: MIT
// `npm run sbom`: what the programs are made of, as CycloneDX 1.5 on standard output: every npm package of the lock (those
// that only development needs are "excluded"), and the Debian packages of the libraries that farmstead-node, as
// it was built here, is linked with. The same sources and packages make the same text. Needs no network.
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { nodeComponents } from './sbom/debian-libraries.mjs'
import { npmComponents } from './sbom/npm-packages.mjs'
import { nodeBinary, root } from './setup/paths.mjs'
import { runMain } from './setup/run-main.mjs'

runMain(async () => {
  const lock = JSON.parse(readFileSync(join(root, 'package-lock.json'), 'utf8'))
  const { name, version, license } = lock.packages['']
  const packages = npmComponents(lock)
  const node = nodeComponents(process.argv[2] ?? nodeBinary)
  const ref = `${name}@${version}`
  const bom = {
    $schema: 'http://cyclonedx.org/schema/bom-1.5.schema.json',
    bomFormat: 'CycloneDX',
    specVersion: '1.5',
    version: 1,
    metadata: {
      component: {
        'bom-ref': ref,
        type: 'application',
        name,
        version,
        licenses: [{ license: { id: license } }],
      },
    },
    components: [...packages.components, ...node.components],
    dependencies: [
      { ref, dependsOn: [...packages.roots, node.root] },
      ...packages.dependencies,
      ...node.dependencies,
    ],
  }
  process.stdout.write(`${JSON.stringify(bom, null, 2)}\n`)
  return 0
})
