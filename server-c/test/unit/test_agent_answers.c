/* SPDX-License-Identifier: MIT */
/* What the control plane answers: the examples are read, everything else is refused by name. */
#include "../../src/agent_answers.c"

#include "agent_example.h"
#include "check.h"

static char why[AGENT_WHY_LEN];

static void examples_are_read(void)
{
    struct agent_enrolled enrolled;
    struct agent_session session;
    struct agent_assignment assignment;
    struct agent_confirmation confirmation;
    struct agent_problem problem;
    uint64_t seq = 0;
    char *text = example_text("enrol.response");
    CHECK_INT(__LINE__, "enrol", agent_read_enrolled(text, strlen(text), &enrolled, why), 0);
    CHECK_STR(__LINE__, "enrol", enrolled.node_id, "node_01jd4q6v2m8w3x5y7z9abcdefg");
    CHECK_STR(__LINE__, "enrol", enrolled.control_plane_id, "cp_01jd4q6v2m8w3x5y7z9abcdefk");
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
    CHECK_TRUE(!assignment.has_content, "null is no content");
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
    CHECK_INT(__LINE__, "report", agent_read_acknowledged(text, strlen(text), &seq, why), 0);
    CHECK_INT(__LINE__, "report", seq, 13);
    free(text);

    text = example_text("problem");
    agent_read_problem(text, strlen(text), &problem);
    CHECK_STR(__LINE__, "problem", problem.code, "token_used");
    CHECK_TRUE(strstr(problem.detail, "Make a new one") != NULL, "%s", problem.detail);
    free(text);
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
    assignment_row(__LINE__, "someNewMember", json_true(), NULL);
}

static void refused_row(int line, const char *name, const char *text)
{
    struct agent_assignment assignment;
    struct agent_session session;
    struct agent_enrolled enrolled;
    struct agent_confirmation confirmation;
    uint64_t seq;
    size_t len = strlen(text);
    CHECK_INT(line, name, agent_read_assignment(text, len, &assignment, why), -1);
    CHECK_INT(line, name, agent_read_session(text, len, &session, why), -1);
    CHECK_INT(line, name, agent_read_enrolled(text, len, &enrolled, why), -1);
    CHECK_INT(line, name, agent_read_confirmation(text, len, &confirmation, why), -1);
    CHECK_INT(line, name, agent_read_acknowledged(text, len, &seq, why), -1);
}

static void what_is_no_answer_is_refused(void)
{
    refused_row(__LINE__, "empty", "");
    refused_row(__LINE__, "a page", "<!doctype html><title>Sign in</title>");
    refused_row(__LINE__, "array", "[]");
    refused_row(__LINE__, "empty object", "{}");
    refused_row(__LINE__, "cut off", "{\"assignment\": {\"generation\": 7");
    refused_row(__LINE__, "wrong types",
                "{\"assignment\":1,\"protocol\":\"1\",\"nodeId\":1,\"confirmed\":\"yes\","
                "\"acknowledgedSeq\":null}");
}

static void a_credential_must_fit_a_header_line(void)
{
    struct agent_enrolled enrolled;
    json_t *document = example_load("enrol.response");
    json_object_set_new(document, "credential",
                        json_string("fsn_0123456789012345678901234567\r\nEvil: yes"));
    char *text = json_dumps(document, 0);
    CHECK_INT(__LINE__, "line break", agent_read_enrolled(text, strlen(text), &enrolled, why), -1);
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
    a_wrong_member_is_named();
    what_is_no_answer_is_refused();
    a_credential_must_fit_a_header_line();
    a_problem_may_be_anything();
    return check_end("agent_answers");
}
