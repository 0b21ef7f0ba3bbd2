/* SPDX-License-Identifier: MIT */
/* What the control plane answers: the protocol's examples are accepted, everything else is refused
 * with the name of the member. */
#include "agent/agent_answers.c"

#include "agent_example.h"
#include "check.h"

static char why[AGENT_WHY_LEN];

static void examples_are_read(void)
{
    struct agent_enrolled enrolled;
    struct agent_issued issued;
    struct agent_session session;
    struct agent_assignment assignment;
    struct agent_confirmation confirmation;
    struct agent_problem problem;
    struct agent_taken taken;
    char *text = example_text("enrol.response");
    CHECK_INT(__LINE__, "enrol", agent_read_enrolled(text, strlen(text), &enrolled, &issued, why),
              0);
    CHECK_STR(__LINE__, "enrol", enrolled.node_id, "node_01jd4q6v2m8w3x5y7z9abcdefg");
    CHECK_STR(__LINE__, "enrol", enrolled.control_plane_id, "cp_01jd4q6v2m8w3x5y7z9abcdefk");
    CHECK_TRUE(enrolled.credential[0] && !issued.certificate, "a credential");
    free(text);

    text = example_text("hello.response");
    CHECK_INT(__LINE__, "hello", agent_read_session(text, strlen(text), &session, why), 0);
    CHECK_INT(__LINE__, "epoch", session.epoch, 2);
    CHECK_INT(__LINE__, "reports", session.report_every_ms, 5000);
    CHECK_INT(__LINE__, "wait", session.desired_wait_ms, 25000);
    free(text);

    text = example_text("desired.response");
    CHECK_INT(__LINE__, "desired", agent_read_assignment(text, strlen(text), &assignment, why), 0);
    CHECK_INT(__LINE__, "generation", assignment.offer.version.generation, 7);
    CHECK_INT(__LINE__, "epoch", assignment.epoch, 2);
    CHECK_INT(__LINE__, "confirm", assignment.confirm_within_ms, 60000);
    CHECK_STR(__LINE__, "offer", assignment.offer.id, "offer_01jd4q6v2m8w3x5y7z9abcdefh");
    CHECK_INT(__LINE__, "text", assignment.text_len, strlen(assignment.text));
    CHECK_TRUE(strncmp(assignment.text, "{\n  // one site\n", 16) == 0, "%s", assignment.text);
    CHECK_INT(__LINE__, "releases", assignment.releases.count, 0);
    agent_assignment_fini(&assignment);
    free(text);

    text = example_text("desired.response.releases");
    CHECK_INT(__LINE__, "releases", agent_read_assignment(text, strlen(text), &assignment, why), 0);
    CHECK_INT(__LINE__, "releases", assignment.releases.count, 1);
    CHECK_STR(__LINE__, "name", assignment.releases.items[0].name, "www");
    CHECK_INT(__LINE__, "number", assignment.releases.items[0].number, 41);
    agent_assignment_fini(&assignment);
    free(text);

    text = example_text("desired.response.previews");
    CHECK_INT(__LINE__, "previews", agent_read_assignment(text, strlen(text), &assignment, why), 0);
    CHECK_TRUE(assignment.previews.is_told, "they are told");
    CHECK_STR(__LINE__, "host", assignment.previews.list.items[0].shown.host,
              "v42-www.edge-1.preview.example.org");
    CHECK_INT(__LINE__, "until", assignment.previews.list.items[0].ends_ms, 86400000);
    agent_assignment_fini(&assignment);
    free(text);
    text = example_text("desired.response.ahead");
    CHECK_INT(__LINE__, "ahead", agent_read_assignment(text, strlen(text), &assignment, why), 0);
    CHECK_TRUE(assignment.ahead.is_told, "they are told");
    CHECK_INT(__LINE__, "ahead", assignment.ahead.list.count, 2);
    CHECK_INT(__LINE__, "number", assignment.ahead.list.items[1].number, 43);
    agent_assignment_fini(&assignment);
    free(text);
    text = example_text("desired.response.challenges");
    CHECK_INT(__LINE__, "challenges", agent_read_assignment(text, strlen(text), &assignment, why),
              0);
    CHECK_TRUE(assignment.challenges.is_said, "they are said");
    CHECK_INT(__LINE__, "challenges", assignment.challenges.count, 1);
    CHECK_STR(__LINE__, "host", assignment.challenges.items[0].host, "shop.example");
    CHECK_INT(__LINE__, "ends", assignment.challenges.items[0].ends_ms, 600000);
    agent_assignment_fini(&assignment);
    free(text);

    text = example_text("desired.response.certificates");
    CHECK_INT(__LINE__, "certificates", agent_read_assignment(text, strlen(text), &assignment, why),
              0);
    CHECK_INT(__LINE__, "certificates", assignment.certificates.count, 1);
    CHECK_TRUE(!assignment.challenges.is_said, "no challenges are said");
    agent_assignment_fini(&assignment);
    free(text);

    text = example_text("desired.response.replaces-drift");
    agent_read_assignment(text, strlen(text), &assignment, why);
    CHECK_INT(__LINE__, "replaces", strlen(assignment.replaces_drift), CONFIG_DIGEST_LEN);
    agent_assignment_fini(&assignment);
    free(text);

    text = example_text("desired.response.request");
    CHECK_INT(__LINE__, "request", agent_read_assignment(text, strlen(text), &assignment, why), 0);
    CHECK_TRUE(assignment.text == NULL, "without an assignment");
    CHECK_STR(__LINE__, "id", assignment.request.id, "request_01jd4q6v2m8w3x5y7z9abcdefm");
    CHECK_INT(__LINE__, "lines", assignment.request.lines, 100);
    free(text);

    text = example_text("desired.response.probes");
    CHECK_INT(__LINE__, "probes", agent_read_assignment(text, strlen(text), &assignment, why), 0);
    CHECK_STR(__LINE__, "id", assignment.probes.id, "probe_01jd4q6v2m8w3x5y7z9abcdefp");
    agent_assignment_fini(&assignment);
    free(text);

    text = example_text("desired.response.samples");
    CHECK_INT(__LINE__, "samples", agent_read_assignment(text, strlen(text), &assignment, why), 0);
    CHECK_INT(__LINE__, "for so long", assignment.looks.for_ms, 10000);
    agent_assignment_fini(&assignment);
    free(text);

    text = example_text("desired.response.check");
    CHECK_INT(__LINE__, "check", agent_read_assignment(text, strlen(text), &assignment, why), 0);
    CHECK_TRUE(assignment.text == NULL && assignment.request.id[0] == 0, "no assignment, no log");
    CHECK_STR(__LINE__, "id", assignment.preflight.id, "request_01jd4q6v2m8w3x5y7z9abcdefm");
    CHECK_TRUE(assignment.preflight.text_len > 0, "its text");
    CHECK_INT(__LINE__, "paths", (int)assignment.preflight.sample.path_count, 2);
    CHECK_TRUE(!assignment.preflight.has_releases, "those that run are meant");
    CHECK_STR(__LINE__, "host", assignment.preflight.sample.paths[0].host, "www.example.org");
    CHECK_TRUE(assignment.preflight.sample.paths[1].host == NULL, "its own address");
    agent_assignment_fini(&assignment);
    free(text);

    text = example_text("desired.response.check-releases");
    CHECK_INT(__LINE__, "check", agent_read_assignment(text, strlen(text), &assignment, why), 0);
    CHECK_TRUE(assignment.preflight.has_releases, "it says versions");
    CHECK_INT(__LINE__, "versions", (int)assignment.preflight.releases.count, 1);
    CHECK_INT(__LINE__, "number", (int)assignment.preflight.releases.items[0].number, 41);
    CHECK_INT(__LINE__, "to fetch", (int)assignment.preflight.needs[0].fetch_bytes, 5242880);
    CHECK_INT(__LINE__, "in all", (int)assignment.preflight.needs[0].held_bytes, 1073741824);
    agent_assignment_fini(&assignment);
    free(text);

    text = example_text("desired.response.nothing");
    CHECK_INT(__LINE__, "nothing", agent_read_assignment(text, strlen(text), &assignment, why), 0);
    CHECK_TRUE(assignment.text == NULL, "nothing new");
    free(text);

    text = example_text("confirm.response");
    CHECK_INT(__LINE__, "confirm", agent_read_confirmation(text, strlen(text), &confirmation, why),
              0);
    CHECK_TRUE(confirmation.confirmed, "confirmed");
    free(text);

    text = example_text("report.response");
    CHECK_INT(__LINE__, "report", agent_read_taken(text, strlen(text), &taken, why), 0);
    CHECK_INT(__LINE__, "report", taken.seq, 13);
    CHECK_INT(__LINE__, "as hello said", taken.report_every_ms, 0);
    CHECK_INT(__LINE__, "no wish was heard", taken.has_desired, false);
    free(text);

    text = example_text("report.response.slower");
    CHECK_INT(__LINE__, "slower", agent_read_taken(text, strlen(text), &taken, why), 0);
    CHECK_INT(__LINE__, "slower", taken.report_every_ms, 20000);
    free(text);

    text = example_text("report.response.desired");
    CHECK_INT(__LINE__, "held", agent_read_taken(text, strlen(text), &taken, why), 0);
    CHECK_INT(__LINE__, "held", taken.seq, 13);
    CHECK_TRUE(taken.has_desired && taken.desired.text, "with an assignment");
    CHECK_INT(__LINE__, "held", taken.desired.offer.version.generation, 7);
    agent_assignment_fini(&taken.desired);
    free(text);

    text = example_text("problem");
    agent_read_problem(text, strlen(text), &problem);
    CHECK_STR(__LINE__, "problem", problem.code, "token_used");
    CHECK_TRUE(strstr(problem.detail, "Make a new one") != NULL, "%s", problem.detail);
    free(text);
}

static void certificates_are_read(void)
{
    struct agent_enrolled enrolled;
    struct agent_issued issued;
    struct agent_session session;
    char *certificates = NULL, *text = example_text("enrol.response.certificate");
    CHECK_INT(__LINE__, "enrol", agent_read_enrolled(text, strlen(text), &enrolled, &issued, why),
              0);
    CHECK_STR(__LINE__, "no credential", enrolled.credential, "");
    CHECK_TRUE(strstr(issued.certificate, "BEGIN CERTIFICATE"), "certificate");
    CHECK_TRUE(strstr(issued.ca_certificates, "BEGIN CERTIFICATE"), "authorities");
    CHECK_INT(__LINE__, "renewal", issued.renew_after_ms, 1728000000);
    agent_issued_fini(&issued);
    free(text);

    text = example_text("renew.response");
    CHECK_INT(__LINE__, "renew", agent_read_issued(text, strlen(text), &issued, why), 0);
    agent_issued_fini(&issued);
    free(text);

    text = example_text("hello.response.tls");
    CHECK_INT(__LINE__, "hello", agent_read_session(text, strlen(text), &session, why), 0);
    CHECK_TRUE(session.has_renewal && session.renew_after_ms == 1728000000, "renewal");
    CHECK_TRUE(strstr(session.ca_certificates, "BEGIN CERTIFICATE"), "authorities");
    agent_session_fini(&session);
    free(text);

    text = example_text("ca.response");
    CHECK_INT(__LINE__, "ca", agent_read_ca(text, strlen(text), &certificates, why), 0);
    CHECK_TRUE(strstr(certificates, "BEGIN CERTIFICATE"), "authorities");
    free(certificates);
    free(text);
}

/* The example with one member changed. */
static void enrolled_row(int line, const char *example, const char *member, json_t *value,
                         const char *want_why)
{
    struct agent_enrolled enrolled;
    struct agent_issued issued;
    json_t *document = example_load(example);
    if (value)
        json_object_set_new(document, member, value);
    else
        json_object_del(document, member);
    char *text = json_dumps(document, 0);
    CHECK_INT(line, member, agent_read_enrolled(text, strlen(text), &enrolled, &issued, why), -1);
    CHECK_TRUE(strstr(why, want_why) != NULL, "row %d \"%s\": %s", line, member, why);
    CHECK_TRUE(!issued.certificate && !issued.ca_certificates, "row %d: nothing is left", line);
    free(text);
    json_decref(document);
}

static void one_proof_of_identity_is_given(void)
{
    static const char both[] = "fsn_AbCdEfGhIjKlMnOpQrStUvWxYz01";
    enrolled_row(__LINE__, "enrol.response.certificate", "credential", json_string(both),
                 "\"credential\" and a certificate");
    enrolled_row(__LINE__, "enrol.response", "credential", NULL, "\"credential\" is missing");
    enrolled_row(__LINE__, "enrol.response.certificate", "caCertificates", NULL,
                 "\"caCertificates\" is missing");
    enrolled_row(__LINE__, "enrol.response.certificate", "renewAfterMs", NULL, "\"renewAfterMs\"");
    enrolled_row(__LINE__, "enrol.response.certificate", "renewAfterMs", json_integer(-1),
                 "\"renewAfterMs\"");
    enrolled_row(__LINE__, "enrol.response.certificate", "certificate", json_stringn("a\0b", 3),
                 "\"certificate\" must be PEM");
    enrolled_row(__LINE__, "enrol.response.certificate", "certificate", json_true(),
                 "\"certificate\" must be a string");
}

/* The example of desired with one member changed. `path` is "member" or "release/member". */
static void assignment_row(int line, const char *path, json_t *value, const char *want_why)
{
    struct agent_assignment assignment;
    json_t *document = example_load("desired.response");
    json_t *object = json_object_get(document, "assignment");
    const char *member = path;
    if (strncmp(path, "release/", 8) == 0) {
        object = json_object_get(object, "release");
        member = path + 8;
    }
    if (value)
        json_object_set_new(object, member, value);
    else
        json_object_del(object, member);
    char *text = json_dumps(document, 0);
    why[0] = '\0';
    int err = agent_read_assignment(text, strlen(text), &assignment, why);
    CHECK_INT(line, path, err, want_why ? -1 : 0);
    if (want_why)
        CHECK_TRUE(strstr(why, want_why) != NULL, "row %d \"%s\": %s", line, path, why);
    agent_assignment_fini(&assignment);
    free(text);
    json_decref(document);
}

static void a_wrong_member_is_named(void)
{
    assignment_row(__LINE__, "generation", json_integer(0), "\"generation\" must be an integer");
    assignment_row(__LINE__, "generation", json_integer(-7), "\"generation\"");
    assignment_row(__LINE__, "generation", json_string("7"), "\"generation\"");
    assignment_row(__LINE__, "generation", json_integer(9007199254740992), "\"generation\"");
    assignment_row(__LINE__, "generation", json_integer(9007199254740991), NULL);
    assignment_row(__LINE__, "epoch", NULL, "\"epoch\" is missing");
    assignment_row(__LINE__, "offerId", json_string("offer_01jd4q6v2m8w3x5y7z9abcdefu"),
                   "\"offerId\"");
    assignment_row(__LINE__, "offerId", json_string("offer_01jd4q6v2m8w3x5y7z9abcdef"),
                   "\"offerId\"");
    assignment_row(__LINE__, "offerId", json_string("node_01jd4q6v2m8w3x5y7z9abcdefh"),
                   "\"offerId\"");
    assignment_row(__LINE__, "offerId", json_stringn("offer_01jd4q6v2m8w3x5y7z9abcde\0h", 32),
                   "\"offerId\"");
    assignment_row(__LINE__, "confirmWithinMs", json_integer(86400001), "\"confirmWithinMs\"");
    assignment_row(__LINE__, "confirmWithinMs", json_real(1.5), "\"confirmWithinMs\"");
    assignment_row(__LINE__, "release", json_null(), "\"release\" must be an object");
    assignment_row(__LINE__, "release/configText", json_integer(1), "\"configText\"");
    assignment_row(__LINE__, "release/configDigest", json_string("sha256:00"), "\"configDigest\"");
    assignment_row(__LINE__, "release/configDigest", json_string("md5:"), "\"configDigest\"");
    assignment_row(__LINE__, "replacesDrift", json_string("sha256:0"), "\"replacesDrift\"");
    assignment_row(__LINE__, "replacesDrift", json_null(), NULL);
    assignment_row(__LINE__, "someNewMember", json_true(), NULL);
}

/* An answer that has a request but no assignment. */
static void request_row(int line, const char *request, int want, bool is_wanted)
{
    struct agent_assignment assignment;
    char text[256];
    snprintf(text, sizeof(text), "{\"assignment\":null,\"request\":%s}", request);
    CHECK_INT(line, request, agent_read_assignment(text, strlen(text), &assignment, why), want);
    CHECK_INT(line, request, assignment.request.id[0] != '\0', is_wanted);
}

#define REQUEST_ID "\"requestId\":\"request_01jd4q6v2m8w3x5y7z9abcdefm\""

static void a_request_is_one_this_version_knows(void)
{
    request_row(__LINE__, "{" REQUEST_ID ",\"kind\":\"errorLog\",\"lines\":500}", 0, true);
    request_row(__LINE__, "{" REQUEST_ID ",\"kind\":\"errorLog\",\"lines\":501}", -1, false);
    request_row(__LINE__, "{" REQUEST_ID ",\"kind\":\"errorLog\",\"lines\":0}", -1, false);
    request_row(__LINE__, "{\"kind\":\"errorLog\",\"lines\":1}", -1, false);
    request_row(__LINE__, "{\"kind\":\"coreDump\"}", 0, false);
    request_row(__LINE__, "null", 0, false);
    request_row(__LINE__, "3", -1, false);
}

static void refused_row(int line, const char *name, const char *text)
{
    struct agent_assignment assignment;
    struct agent_session session;
    struct agent_enrolled enrolled;
    struct agent_issued issued;
    struct agent_confirmation confirmation;
    char *certificates;
    struct agent_taken taken;
    size_t len = strlen(text);
    CHECK_INT(line, name, agent_read_assignment(text, len, &assignment, why), -1);
    CHECK_INT(line, name, agent_read_session(text, len, &session, why), -1);
    CHECK_INT(line, name, agent_read_enrolled(text, len, &enrolled, &issued, why), -1);
    CHECK_INT(line, name, agent_read_confirmation(text, len, &confirmation, why), -1);
    CHECK_INT(line, name, agent_read_taken(text, len, &taken, why), -1);
    CHECK_TRUE(!taken.desired.text, "%s", name);
    CHECK_INT(line, name, agent_read_issued(text, len, &issued, why), -1);
    CHECK_INT(line, name, agent_read_ca(text, len, &certificates, why), -1);
}

static void what_is_no_answer_is_refused(void)
{
    refused_row(__LINE__, "empty", "");
    refused_row(__LINE__, "a page", "<!doctype html><title>Sign in</title>");
    refused_row(__LINE__, "array", "[]");
    refused_row(__LINE__, "empty object", "{}");
    refused_row(__LINE__, "cut off", "{\"assignment\": {\"generation\": 7");
    refused_row(__LINE__, "a wrong answer to the wish in a report",
                "{\"acknowledgedSeq\":13,\"desired\":{\"assignment\":{\"generation\":7}}}");
    refused_row(__LINE__, "wrong types",
                "{\"assignment\":1,\"protocol\":\"1\",\"nodeId\":1,\"confirmed\":\"yes\","
                "\"acknowledgedSeq\":null}");
}

static void a_credential_must_fit_a_header_line(void)
{
    struct agent_enrolled enrolled;
    struct agent_issued issued;
    json_t *document = example_load("enrol.response");
    json_object_set_new(document, "credential",
                        json_string("fsn_0123456789012345678901234567\r\nEvil: yes"));
    char *text = json_dumps(document, 0);
    CHECK_INT(__LINE__, "line break",
              agent_read_enrolled(text, strlen(text), &enrolled, &issued, why), -1);
    CHECK_TRUE(strstr(why, "credential") && !strstr(why, "Evil"), "%s", why);
    free(text);
    json_decref(document);
}

static void a_problem_may_be_anything(void)
{
    struct agent_problem problem;
    agent_read_problem("<html>", 6, &problem);
    CHECK_STR(__LINE__, "a page", problem.code, "");
    const char *text = "{\"code\": 3, \"title\": \"one\\ntwo\"}";
    agent_read_problem(text, strlen(text), &problem);
    CHECK_STR(__LINE__, "title for detail, one line", problem.detail, "one two");
}

int main(void)
{
    examples_are_read();
    certificates_are_read();
    one_proof_of_identity_is_given();
    a_wrong_member_is_named();
    a_request_is_one_this_version_knows();
    what_is_no_answer_is_refused();
    a_credential_must_fit_a_header_line();
    a_problem_may_be_anything();
    return check_end("agent_answers");
}
