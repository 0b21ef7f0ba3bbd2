// SPDX-License-Identifier: MIT
// What becomes of each directive that needs no more than a sentence, and which of them code is for.
import { LISTING_FORM } from '../sayings.ts'

const words = (text: string) => text.trim().split(/\s+/)

/** Looked up by code, where they stand. */
export const SETTINGS: ReadonlySet<string> = new Set(
  words(`accessfilename adddefaultcharset addcharset addencoding addhandler addoutputfilterbytype addtype alias allow
  allowoverride allowoverridelist authbasicprovider authmerging authname authtype authuserfile brotlicompressionquality customlog
  defaulttype deflatecompressionlevel deny directoryindex directoryslash documentroot errordocument errorlog expiresactive
  expiresbytype expiresdefault fallbackresource fileetag forcetype header headername keepalive keepalivetimeout limitrequestbody
  limitrequestline listen logformat loglevel maxkeepaliverequests options order protocols readmename redirect redirectmatch
  redirectpermanent redirecttemp remoteipheader remoteiptrustedproxy remoteipinternalproxy require requireall requireany
  requirenone requestreadtimeout rewritebase rewritecond rewriteengine rewriteoptions rewriterule satisfy serveralias
  servername sethandler setoutputfilter sslcacertificatefile sslcertificatefile sslcertificatekeyfile sslengine sslprotocol
  sslverifyclient timeout userdir virtualdocumentroot`),
)

type Said = { verdict: 'taken' | 'different' | 'unsupported'; code: string; text: string }
const table = new Map<string, Said>()
const say = (verdict: Said['verdict'], code: string, text: string, names: string) => {
  for (const name of words(names)) table.set(name, { verdict, code, text })
}

say('taken', '', '', 'define undefine include includeoptional loadmodule serverroot loadfile')
say(
  'different',
  'by-itself',
  'The node does this by itself and has no setting for it.',
  `mutex hostnamelookups listenbacklog listencoresbucketsratio maxclients maxrequestworkers maxrequestsperchild
  maxconnectionsperchild startservers minspareservers maxspareservers minsparethreads maxsparethreads serverlimit threadlimit
  threadsperchild threadstacksize asyncrequestworkerfactor maxmemfree maxsparethreads enablemmap enablesendfile acceptfilter
  acceptmutex usecanonicalphysicalport extendedstatus coredumpdirectory gracefulshutdowntimeout sendbuffersize receivebuffersize
  browsermatch browsermatchnocase deflatebuffersize deflatememlevel deflatewindowsize deflatefilternote
  brotlifilternote brotlicompressionwindow brotlicompressionmaxinputblock brotlialteretag deflatealteretag namevirtualhost
  cacheroot cacheenable cachedirlevels cachedirlength cachelock cachequickhandler cachedefaultexpire cachemaxfilesize
  cacheignoreheaders cacheignorenolastmod cachestoreprivate cachelastmodifiedfactor cachemaxexpire filterdeclare
  filterprovider filterchain filterprotocol limitrequestfields limitrequestfieldsize limitinternalrecursion
  readbuffersize flushmaxthreshold maxranges maxrangeoverlaps maxrangereversals rewritelog rewriteloglevel
  h2direct h2upgrade h2maxsessionstreams h2windowsize h2minworkers h2maxworkers h2push h2pushpriority h2earlyhints
  h2streammaxmemsize h2serializeheaders h2tlswarmupsize h2tlscooldownsecs h2moderntlsonly h2copyfiles protocolshonororder
  contentdigest`,
)
say(
  'different',
  'unit',
  'The node runs as its package’s unit says: its own user, and no PID file.',
  'user group pidfile scoreboardfile chrootdir defaultruntimedir',
)
say(
  'different',
  'tls-profile',
  'Versions, ciphers, curves and their order go by tls.profile, after Mozilla’s guide.',
  `sslciphersuite sslhonorcipherorder sslopensslconfcmd sslcompression sslinsecurerenegotiation sslstrictsnivhostcheck sslfips
  sslrandomseed sslpassphrasedialog sslcryptodevice ssloptions sslrenegbuffersize`,
)
say(
  'different',
  'tls-sessions',
  'Sessions are always resumed; the keys for it change by themselves, and nodes of a farm share them.',
  'sslsessioncache sslsessioncachetimeout sslsessiontickets sslsessionticketkeyfile',
)
say(
  'unsupported',
  'ocsp',
  'Leave it out: certificates’ authorities have ended OCSP.',
  `sslusestapling sslstaplingcache sslstaplingrespondertimeout sslstaplingreturnrespondererrors sslstaplingforceurl
  sslstaplingfaketrylater sslstaplingstandardcachetimeout sslstaplingerrorcachetimeout sslocspenable sslcarevocationfile
  sslcarevocationcheck sslcarevocationpath`,
)
say(
  'unsupported',
  'chain-file',
  'Put the authorities’ certificates behind the own one in its file (chainFile).',
  'sslcertificatechainfile',
)
say(
  'unsupported',
  'client-certificates',
  'Use sites[].clientCertificates with the authorities’ file.',
  'sslcacertificatepath sslverifydepth sslcadnrequestfile sslcadnrequestpath sslrequire sslusername',
)
say(
  'unsupported',
  'certificate',
  'The control plane orders certificates from their authorities (ACME), and renews them: tell it the names.',
  'mdomain mdcertificateagreement mdcontactemail mdcertificateauthority mdprivatekeys mdrequirehttps mdrenewmode mdrenewwindow',
)
say(
  'different',
  'server-header',
  'The Server header says Farmstead, without a version; a header rule can remove it.',
  'servertokens serversignature serveradmin traceenable',
)
say(
  'different',
  'redirect-form',
  'Redirects to folders are relative to the address that the client used.',
  'usecanonicalname serverpath',
)
say(
  'different',
  'strict-http',
  'Requests are read by RFC 9112, strictly; paths are compared decoded, with dots and doubled slashes resolved.',
  'httpprotocoloptions mergeslashes allowencodedslashes acceptpathinfo registerhttpmethod checkspelling checkcaseonly mergetrailers stricthostcheck',
)
say(
  'different',
  'listing-form',
  LISTING_FORM,
  `indexoptions indexignore indexignorereset indexorderdefault indexstylesheet indexheadinsert addicon addiconbytype
  addiconbyencoding defaulticon addalt addaltbytype addaltbyencoding adddescription`,
)
say(
  'different',
  'languages',
  'A node chooses no file by language, and sends no Content-Language.',
  `addlanguage languagepriority forcelanguagepriority defaultlanguage removelanguage multiviewsmatch cachenegotiateddocs`,
)
say(
  'different',
  'own-types',
  'The node has a list of media types of its own; mimeTypes adds to it.',
  'typesconfig mimemagicfile modmimeusepathinfo removetype removehandler removecharset removeencoding removeoutputfilter removeinputfilter',
)
say(
  'different',
  'log-level',
  'errorLog.level says how much is logged.',
  'errorlogformat globallog logiotrackttfb dumpioinput dumpiooutput',
)
say(
  'unsupported',
  'environment',
  'No program is behind a node that could get it, and its rules know no variables.',
  'setenv unsetenv passenv setenvif setenvifnocase setenvifexpr requestheader',
)
say(
  'unsupported',
  'second-log',
  'A site has one access log. What reads the other can read that one.',
  'transferlog cookielog forensiclog scriptlog',
)
say(
  'unsupported',
  'alias-match',
  'An alias is a folder for paths that begin alike: write it into sites[].aliases.',
  'aliasmatch aliaspreservepath',
)
say(
  'unsupported',
  'rewrite-map',
  'Put the old and new addresses into a text of their own: sites[].redirectFile.',
  'rewritemap',
)
say(
  'unsupported',
  'auth',
  'A node asks for passwords by Basic with a file as htpasswd makes it: use AuthType Basic and AuthUserFile.',
  `authgroupfile authdbmuserfile authdbmgroupfile authdbmtype authdigestdomain authdigestprovider authdigestnoncelifetime
  authdigestalgorithm authdigestqop authdigestshmemsize authldapurl authldapbinddn authldapbindpassword authformprovider
  authdbduserpwquery authbasicauthoritative authbasicfake authbasicusedigestalgorithm authnprovideralias
  authzprovideralias authnzfcgicheckauthnprovider authzsendforbiddenonfailure anonymous`,
)
say(
  'unsupported',
  'rate',
  'Use sites[].bytesPerSecond, connectionBytesPerSecond or requestLimits.',
  `qs_srvmaxconnperip qs_locrequestlimit dospagecount dossitecount dospageinterval dossiteinterval dosblockingperiod
  doshashtablesize dosemailnotify doswhitelist doslogdir bandwidth`,
)
say(
  'unsupported',
  'firewall',
  'A node serves files alone, so there is no program that such rules could protect. Keep them in front of the old server.',
  'secruleengine secrule secaction secrequestbodyaccess secresponsebodyaccess secdatadir secauditlog secauditengine secruleremovebyid',
)
say(
  'unsupported',
  'changed-content',
  'A node sends files as they are. Make the change when the files are built.',
  `ssistarttag ssiendtag ssietag ssilastmodified ssierrormsg ssitimeformat ssiundefinedecho ssilegacyexprparser xbithack substitute
  substitutemaxlinelength addoutputfilter addinputfilter extfilterdefine imapbase imapdefault imapmenu charsetsourceenc
  charsetdefault charsetoptions headerecho modpagespeed asis cookietracking cookiename cookieexpires cookiestyle cookiedomain`,
)
say(
  'unsupported',
  'macro',
  'Macros are not followed: write out what it means, then import again.',
  'use undefmacro',
)
say(
  'unsupported',
  'vhost-pattern',
  'A root may have {host} and {host1} to {host9} in it: see sites[].root.',
  'virtualdocumentrootip virtualscriptalias virtualscriptaliasip',
)
say(
  'unsupported',
  'trailing-slash',
  'Use sites[].trailingSlash.',
  'directorycheckhandler directoryindexredirect',
)
say(
  'unsupported',
  'proxy-field',
  'Name the field in trustedProxyField: X-Forwarded-For or Forwarded. PROXY is listen[].proxyProtocol.',
  'remoteipproxiesheader remoteiptrustedproxylist remoteipinternalproxylist remoteipproxyprotocol remoteipproxyprotocolexceptions',
)

export const KEEP =
  'This is an application’s work. Keep this host where it is, or put the node behind the old server for its files.'
const OF_APPLICATIONS =
  /^(proxy|balancer|fcgi|fastcgi|scgi|uwsgi|wsgi|passenger|php|suphp|lsapi|cgi|script|dav|svn|perl|python|lua|jk|rails|action$|mono|isapi|asp|dbd|session|suexec|assignuserid|watchdog|heartbeat|ssl ?proxy)/
/** Those with which a host passes requests on to a program. */
const PASSES_ON =
  /^(proxypass|proxypassmatch|scriptalias|scriptaliasmatch|wsgiscriptalias|wsgiscriptaliasmatch|fastcgiexternalserver|fcgidwrapper|passengerapproot|passengerappenv|jkmount|svnpath|svnparentpath|luamaphandler|perlhandler|perlresponsehandler|action|php_(admin_)?(value|flag)|balancermember)$/

export const passesOn = (key: string): boolean => PASSES_ON.test(key)

/** null: code is for it, or nobody knows it. */
export function saidOf(key: string): Said | null {
  const said = table.get(key)
  if (said) return said
  if (OF_APPLICATIONS.test(key)) return { verdict: 'unsupported', code: 'application', text: KEEP }
  return null
}
