// SPDX-License-Identifier: MIT
// Makes nodes in the database of a control plane that rests, as a program: what came of it is printed as JSON.
//   node make-nodes.ts DATA_DIR COUNT CONFIG_FILE
import { readFileSync } from 'node:fs'
import { makeNodes } from './known-nodes.ts'

const [dataDir = '', count = '', configFile = ''] = process.argv.slice(2)
const made = await makeNodes(dataDir, Number(count), readFileSync(configFile, 'utf8'))
process.stdout.write(JSON.stringify(made))
