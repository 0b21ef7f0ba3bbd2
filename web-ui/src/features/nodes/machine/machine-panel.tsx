// SPDX-License-Identifier: MIT

import { Facts } from '../../../components/facts.tsx'
import { Quantity } from '../../../components/quantity.tsx'
import { ScrollBox } from '../../../components/scroll-box.tsx'
import { StatusBadge } from '../../../components/status-badge.tsx'
import { TimeAgo } from '../../../components/time-ago.tsx'
import { t } from '../../../languages/t.ts'
import { T } from '../../../languages/text.tsx'
import type { Node, NodeHost } from '../../../lib/api-types.ts'
import {
  formatByteRate,
  formatBytes,
  formatRate,
  formatRatio,
  formatSeconds,
} from '../../../lib/format.ts'
import { hostFacts, isDiskFull, usedRatio, warnVerdict, whyNoRates } from './host-rules.ts'

/** The machine below the node, as its newest report tells. */
export function MachinePanel({ node }: { node: Node }) {
  const { host } = node
  return (
    <section className="panel" aria-labelledby="machine-heading">
      <div className="panel-head">
        <h2 id="machine-heading">{t('Machine')}</h2>
        {host !== null && (
          <span className="dim">
            <T text="as reported {at}" at={<TimeAgo at={host.at} />} />
          </span>
        )}
      </div>
      <div className="panel-body stack-tight">
        <Facts
          facts={[
            { name: t('Host'), value: node.hostname },
            { name: t('System'), value: `${node.os}, ${node.arch}` },
            { name: t('Version'), value: `farmstead-node ${node.version}` },
            ...(host === null ? [] : measured(host)),
          ]}
        />
        {host === null && (
          <p className="dim">
            {node.connected
              ? t(
                  'It has not reported its CPU, memory and disks yet: that comes with its next report.',
                )
              : t(
                  'Nothing is known about its CPU, memory and disks since this control plane started: it is not connected.',
                )}
          </p>
        )}
      </div>
    </section>
  )
}

function measured(host: NodeHost) {
  return hostFacts(host).map(({ name, text, warning }) => ({
    name,
    value: (
      <>
        {text} {warning !== null && <StatusBadge verdict={warnVerdict(warning)} />}
      </>
    ),
  }))
}

/** Nothing, for a node that tells of no root. */
export function RootsPanel({ host }: { host: NodeHost | null }) {
  if (host === null || host.roots.length === 0) return null
  const why = whyNoRates(host.roots)
  return (
    <section className="panel" aria-labelledby="roots-heading">
      <div className="panel-head">
        <h2 id="roots-heading">{t('Disks of the roots')}</h2>
        <span className="dim">{t('reads of the whole disk, between the last two reports')}</span>
      </div>
      <ScrollBox label={t('Disks of the roots, table')}>
        <table className="grid">
          <thead>
            <tr>
              <th scope="col">{t('Root')}</th>
              <th scope="col" className="wide-only">
                {t('Disk')}
              </th>
              <th scope="col" className="num">
                {t('Used')}
              </th>
              <th scope="col" className="num wide-only">
                {t('Free')}
              </th>
              <th scope="col" className="num">
                {t('Read')}
              </th>
              <th scope="col" className="num">
                {t('Reads/s')}
              </th>
              <th scope="col" className="num">
                {t('Per read')}
              </th>
            </tr>
          </thead>
          <tbody>
            {host.roots.map((root) => (
              <RootRow key={root.path} root={root} />
            ))}
          </tbody>
        </table>
      </ScrollBox>
      {why !== null && <p className="panel-body dim">{why}</p>}
    </section>
  )
}

function RootRow({ root }: { root: NodeHost['roots'][number] }) {
  const { millisecondsPerRead } = root
  return (
    <tr>
      <th scope="row">
        <code>{root.path}</code>
      </th>
      <td className="wide-only">{root.device === null ? '–' : <code>{root.device}</code>}</td>
      <td className="num">
        {isDiskFull(root) && <StatusBadge verdict={warnVerdict(t('Nearly full'))} />}{' '}
        {t('{usedRatio} of {totalBytes}', {
          usedRatio: formatRatio(usedRatio(root)),
          totalBytes: formatBytes(root.totalBytes),
        })}
      </td>
      <td className="num wide-only">
        <Quantity of={root.freeBytes} as={formatBytes} />
      </td>
      <td className="num">
        <Quantity of={root.readBytesPerSecond} as={formatByteRate} />
      </td>
      <td className="num">
        <Quantity of={root.readsPerSecond} as={formatRate} />
      </td>
      <td className="num">
        <Quantity
          of={millisecondsPerRead === null ? null : millisecondsPerRead / 1000}
          as={formatSeconds}
        />
      </td>
    </tr>
  )
}
