// SPDX-License-Identifier: MIT
// What becomes of each directive that needs no more than a sentence; the others have code of their own (SETTINGS, STEPS).
import { LISTING_FORM, OTHER_METHODS } from '../sayings.ts'

/** Kept with their block, and looked up from the inside out, as nginx inherits them. */
export const SETTINGS: ReadonlySet<string> = new Set(
  `access_log add_header alias allow auth_basic auth_basic_user_file autoindex autoindex_exact_size autoindex_format
  autoindex_localtime brotli brotli_static charset charset_types client_header_timeout default_type deny
  disable_symlinks error_log error_page etag expires gzip gzip_comp_level gzip_min_length gzip_static gzip_types http2
  index internal keepalive_requests keepalive_timeout large_client_header_buffers limit_conn limit_rate limit_req
  more_set_headers more_clear_headers real_ip_header root satisfy send_timeout server_name set_real_ip_from ssl
  ssl_certificate ssl_certificate_key ssl_client_certificate ssl_protocols ssl_reject_handshake ssl_verify_client
  try_files types valid_referers`
    .trim()
    .split(/\s+/),
)
/** Done one after the other when a request comes. */
export const STEPS: ReadonlySet<string> = new Set(['return', 'rewrite', 'if', 'set', 'break'])

type Said = { verdict: 'different' | 'unsupported'; code: string; text: string }
const table = new Map<string, Said>()
const say = (verdict: Said['verdict'], code: string, text: string, names: string) => {
  for (const name of names.trim().split(/\s+/)) table.set(name, { verdict, code, text })
}

say(
  'different',
  'by-itself',
  'The node does this by itself and has no setting for it.',
  `accept_mutex accept_mutex_delay aio aio_write client_header_buffer_size client_body_buffer_size client_body_temp_path
  client_body_timeout client_body_in_file_only client_body_in_single_buffer connection_pool_size daemon debug_connection
  debug_points directio directio_alignment env gzip_buffers gzip_window gzip_hash lingering_close lingering_time
  lingering_timeout load_module lock_file log_not_found log_subrequest open_log_file_cache map_hash_bucket_size map_hash_max_size
  master_process multi_accept open_file_cache open_file_cache_errors open_file_cache_min_uses open_file_cache_valid
  output_buffers pcre_jit postpone_output read_ahead request_pool_size reset_timedout_connection rewrite_log sendfile
  sendfile_max_chunk server_names_hash_bucket_size server_names_hash_max_size ssl_buffer_size tcp_nodelay tcp_nopush
  thread_pool timer_resolution types_hash_bucket_size types_hash_max_size uninitialized_variable_warn use variables_hash_bucket_size
  variables_hash_max_size worker_aio_requests worker_cpu_affinity worker_priority worker_shutdown_timeout working_directory
  recursive_error_pages send_lowat subrequest_output_buffer_size http2_max_field_size http2_max_header_size
  http2_recv_buffer_size http2_chunk_size http2_idle_timeout http2_max_requests client_header_pool_size max_ranges
  http2_max_concurrent_streams http2_recv_timeout real_ip_recursive`,
)
say(
  'different',
  'unit',
  'The node runs as its package’s unit says: its own user, and no PID file.',
  'user pid',
)
say(
  'different',
  'descriptors',
  'Set LimitNOFILE in the node’s unit; `farmstead-node check` says what a config needs.',
  'worker_rlimit_nofile',
)
say(
  'different',
  'tls-profile',
  'Ciphers, curves and their order go by tls.profile, after Mozilla’s guide.',
  'ssl_ciphers ssl_prefer_server_ciphers ssl_ecdh_curve ssl_dhparam ssl_conf_command ssl_early_data',
)
say(
  'different',
  'tls-sessions',
  'Sessions are always resumed; the keys for it change by themselves, and nodes of a farm share them.',
  'ssl_session_cache ssl_session_timeout ssl_session_tickets ssl_session_ticket_key',
)
say(
  'unsupported',
  'ocsp',
  'Leave it out: certificates’ authorities have ended OCSP.',
  'ssl_stapling ssl_stapling_verify ssl_stapling_file ssl_stapling_responder ssl_trusted_certificate ssl_crl ssl_verify_depth ssl_ocsp',
)
say(
  'different',
  'server-header',
  'The Server header says Farmstead, without a version; a header rule can remove it.',
  'server_tokens',
)
say(
  'different',
  'vary',
  'Answers with compressed copies always say Vary: Accept-Encoding.',
  'gzip_vary brotli_vary',
)
say(
  'different',
  'compressed-for-proxies',
  'Copies are sent to proxies and old clients as to others, by Accept-Encoding alone.',
  'gzip_proxied gzip_disable gzip_http_version',
)
say(
  'different',
  'no-uploads',
  'Bodies of requests are read and thrown away (limits.bodyBytes, 64 KiB); there are no uploads.',
  'client_max_body_size',
)
say(
  'different',
  'redirect-form',
  'Redirects to folders are relative to the address that the client used, host and port included.',
  'port_in_redirect absolute_redirect server_name_in_redirect',
)
say(
  'different',
  'strict-http',
  'Requests are read by RFC 9112, strictly; doubled slashes in a path are one.',
  'merge_slashes underscores_in_headers ignore_invalid_headers chunked_transfer_encoding msie_padding msie_refresh if_modified_since keepalive_disable keepalive_time',
)
say(
  'different',
  'no-names-looked-up',
  'Nothing of a node looks up names while it serves.',
  'resolver resolver_timeout',
)
say('different', 'methods', OTHER_METHODS, 'limit_except')
say(
  'different',
  'listing-form',
  LISTING_FORM,
  'fancyindex fancyindex_exact_size autoindex_exact_size autoindex_format autoindex_localtime',
)

const KEEP =
  'This is an application’s work. Keep this host where it is, or put the node behind the old server for its files.'
/** Directives that pass requests on to a program: their host is left out of the draft. */
export const APPLICATIONS: ReadonlySet<string> = new Set(
  `proxy_pass fastcgi_pass uwsgi_pass scgi_pass grpc_pass memcached_pass passenger_enabled content_by_lua
  content_by_lua_block content_by_lua_file js_content perl dav_methods`.split(/\s+/),
)
say(
  'unsupported',
  'no-status-page',
  'A node has a status page and /metrics at an address of its own: see `admin` in the configuration.',
  'stub_status',
)
say(
  'unsupported',
  'signed-urls',
  'Use sites[].signedUrls: links have another form, HMAC-SHA256 in their query. Change the program that makes them.',
  'secure_link secure_link_md5 secure_link_secret',
)
say(
  'unsupported',
  'changed-content',
  'A node sends files as they are. Make the change when the files are built.',
  `sub_filter sub_filter_once sub_filter_types sub_filter_last_modified addition_types add_before_body add_after_body ssi
  ssi_types image_filter image_filter_buffer image_filter_jpeg_quality xslt_stylesheet concat concat_types empty_gif
  random_index override_charset source_charset charset_map mp4 mp4_buffer_size mp4_max_buffer_size flv gunzip slice add_trailer`,
)
say(
  'unsupported',
  'by-visitor',
  'A node has no rules by country, share or memory of visitors. Do it in front of the farm.',
  'geo geoip_country geoip_city geoip_proxy geoip2 split_clients userid ancient_browser modern_browser',
)
say(
  'unsupported',
  'other-protocol',
  'A node serves files over HTTP. Keep this where it is.',
  'stream mail',
)
say(
  'unsupported',
  'asked-elsewhere',
  'A node asks no other program whether a visitor may come in. Use sites[].auth, or keep this host where it is.',
  'auth_request auth_request_set auth_jwt auth_delay auth_basic_provider',
)
say(
  'unsupported',
  'http3',
  'A node speaks HTTP/1.1 and HTTP/2.',
  'http3 quic_retry quic_gso ssl_quic http3_hq',
)
say(
  'different',
  'limit-answers',
  'What is over a limit is answered with 429 (requests) or 503 (connections), and is counted rather than logged.',
  'limit_req_status limit_req_log_level limit_conn_status limit_conn_log_level limit_req_dry_run limit_conn_dry_run',
)
say('unsupported', 'rate-after', 'The rate holds from the first byte on.', 'limit_rate_after')

const OF_APPLICATIONS =
  /^(proxy|fastcgi|uwsgi|scgi|grpc|memcached|passenger|lua|js|perl|upstream|dav)(_|$)|_by_lua/

/** null: it is a setting, a step or a block, or nobody knows it. */
export function saidOf(name: string): Said | null {
  const said = table.get(name)
  if (said) return said
  if (OF_APPLICATIONS.test(name)) return { verdict: 'unsupported', code: 'application', text: KEEP }
  return null
}
