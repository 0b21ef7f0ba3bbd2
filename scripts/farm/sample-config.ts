// SPDX-License-Identifier: MIT
// The first version of the sample farm's config.
//   node scripts/farm/sample-config.ts ROOT ADDRESS PORT    prints it (for the containers)

export type Place = { root: string; address: string; port: number }

export const sampleConfig = ({
  root,
  address,
  port,
}: Place) => `// The sample farm: one site, served by every node.
{
  // A node may have an override of its own: nodes that share a machine need different ports.
  "listen": [{ "address": ${JSON.stringify(address)}, "port": ${port} }],

  "sites": [
    {
      "hosts": ["*"],
      "root": ${JSON.stringify(root)},
      "index": ["index.html"],
      "headers": [
        { "action": "set", "name": "X-Content-Type-Options", "value": "nosniff" },
        { "action": "set", "name": "Cache-Control", "value": "public, max-age=60" }
      ]
    }
  ]
}
`

if (import.meta.main) {
  const [root = '', address = '', port = ''] = process.argv.slice(2)
  process.stdout.write(sampleConfig({ root, address, port: Number(port) }))
}
