// SPDX-License-Identifier: MIT

import { useMutation, useQuery, useQueryClient } from '@tanstack/react-query'
import { EmptyState } from '../../../components/empty-state.tsx'
import { ButtonLink } from '../../../components/links.tsx'
import { Notice } from '../../../components/notice.tsx'
import { Page } from '../../../components/page.tsx'
import { QueryStates } from '../../../components/query-states.tsx'
import { t } from '../../../languages/t.ts'
import type { CertificateAuthority, DnsWebhook, Session } from '../../../lib/api-types.ts'
import { whyNot } from '../../../lib/permissions.ts'
import { certificateQuery } from '../api.ts'
import { authoritiesQuery } from '../authorities/api.ts'
import { dnsWebhooksQuery } from '../dns-webhooks/api.ts'
import { manageMutation, readAgain } from './api.ts'
import { OrderForm } from './order-form.tsx'
import { newDraft } from './wish.ts'

type Props = {
  session: Session
  /** Of a certificate that was uploaded and is to be ordered from now on; null: of none. */
  name: string | null
  onOrdered: (name: string) => void
}

export function OrderScreen({ session, name, onOrdered }: Props) {
  const blocked = whyNot(session, 'certificates:write')
  return (
    <Page
      width="text"
      title={name === null ? t('Order a certificate') : t('Order {name} from now on', { name })}
      meta={t('Farmstead orders it, renews it in time and brings it to the nodes.')}
    >
      {blocked === null ? (
        <OrderPanel name={name} onOrdered={onOrdered} />
      ) : (
        <Notice tone="info" title={t('You may not order certificates')}>
          {blocked}
        </Notice>
      )}
    </Page>
  )
}

function OrderPanel({ name, onOrdered }: Omit<Props, 'session'>) {
  const authorities = useQuery(authoritiesQuery)
  const webhooks = useQuery(dnsWebhooksQuery)
  const known = useQuery({ ...certificateQuery(name ?? ''), enabled: name !== null })
  return (
    <section className="panel" aria-label={t('What to order')}>
      <QueryStates query={authorities} what={t('The certificate authorities')} skeletonRows={6}>
        {({ items }) =>
          items.length === 0 ? (
            <NoAuthority />
          ) : (
            <QueryStates query={webhooks} what={t('The DNS webhooks')} skeletonRows={6}>
              {({ items: hooks }) =>
                name === null ? (
                  <NewOrder
                    {...{ name, onOrdered }}
                    hosts={[]}
                    authorities={items}
                    webhooks={hooks}
                  />
                ) : (
                  <QueryStates query={known} what={t('The certificate')} skeletonRows={6}>
                    {({ body }) => (
                      <NewOrder
                        {...{ name, onOrdered }}
                        hosts={body.latestVersion.names}
                        authorities={items}
                        webhooks={hooks}
                      />
                    )}
                  </QueryStates>
                )
              }
            </QueryStates>
          )
        }
      </QueryStates>
    </section>
  )
}

const NoAuthority = () => (
  <EmptyState
    title={t('No certificate authority yet')}
    action={
      <ButtonLink to="/settings/certificate-authorities">
        {t('Add a certificate authority')}
      </ButtonLink>
    }
  >
    {t(
      'Certificates are ordered from an authority such as Let’s Encrypt. Add one in the settings; it takes a minute.',
    )}
  </EmptyState>
)

type NewProps = Omit<Props, 'session'> & {
  hosts: readonly string[]
  authorities: readonly CertificateAuthority[]
  webhooks: readonly DnsWebhook[]
}

function NewOrder({ name, hosts, authorities, webhooks, onOrdered }: NewProps) {
  const client = useQueryClient()
  const order = useMutation({
    ...manageMutation,
    onSuccess: async ({ name: ordered }) => {
      await readAgain(client)
      onOrdered(ordered)
    },
  })
  const [first] = authorities
  const draft = newDraft(name ?? '', hosts)
  return (
    <div className="panel-body">
      <OrderForm
        before={{ ...draft, authorities: first ? [{ name: first.name, profile: null }] : [] }}
        isNamed={name !== null}
        isUploaded={name !== null}
        authorities={authorities}
        webhooks={webhooks}
        submit={name === null ? t('Order the certificate') : t('Order it from now on')}
        pending={order.isPending}
        isDone={order.isSuccess}
        error={order.error}
        onSubmit={(named, wish, orderNow) =>
          order.mutate({ name: named, ...wish, ...(orderNow && { orderNow }) })
        }
        onChange={() => order.reset()}
      />
    </div>
  )
}
