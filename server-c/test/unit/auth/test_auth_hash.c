/* SPDX-License-Identifier: MIT */
/* Each kind of hash, made by the libraries' own tools, with the right and a wrong password; and
 * hashes that are refused before they cost anything. */
#include "auth/auth_hash.c"

#include "check.h"

#define SALT32 "k2XAnEHBqQ1Ct2aMXFKNa/HAmA1BpMnBsYHMWB4NZN4"
#define BCRYPT_REST "$KBCwKxOzLha2MUDgW0PjXexpfJpcmyhZB2fRGE3GraFO6JmGHqpYq"
#define ARGON2_REST "$c2FsdHNhbHRzYWx0c2FsdA$9GBK6XykHzIB+vYLubi/YEZSpnXSBGB6tRrWej2ztGQ"
#define SHA5_REST "abcdefgh$4PbtPZdUc33o7LmNsM4HTsjYbIhyCeh4aCe.rEbHkq1"
#define YESCRYPT_REST "$" SALT32 "$RU3oxAda0FRdA4WfOL.b20QlOqRQP95DGiUbE4BOU59"

/* All are hashes of "sesame". */
static const struct {
    int line;
    const char *name, *hash;
} taken[] = {
    {__LINE__, "argon2id", "$argon2id$v=19$m=1024,t=2,p=1" ARGON2_REST},
    {__LINE__, "argon2i, two lanes",
     "$argon2i$v=19$m=64,t=3,p=2$c2FsdHNhbHRzYWx0c2FsdA$"
     "WLhIWCsjmqlqpT2nos2dAew1We3irSnK4m+a302o458"},
    {__LINE__, "bcrypt 2b", "$2b$04" BCRYPT_REST},
    {__LINE__, "bcrypt 2y, of htpasswd", "$2y$04" BCRYPT_REST},
    {__LINE__, "bcrypt 2a", "$2a$04" BCRYPT_REST},
    {__LINE__, "yescrypt", "$y$j75" YESCRYPT_REST},
    {__LINE__, "SHA-256 crypt", "$5$" SHA5_REST},
    {__LINE__, "SHA-256 crypt, rounds",
     "$5$rounds=1000$k2XAnEHBqQ1Ct2aM$DAJ/4yEvfE872FdZVXANnEmC54qPUVUnIlcTaOl9Ls3"},
    {__LINE__, "SHA-512 crypt, of openssl passwd",
     "$6$abcdefgh$Bk2D4uYVcw0FbFPsWa0iJZ1DNfy8v6OjKcRcuBfMkWD1KdADPVnmQf5cr0O8HfAYpq1XrrjdgIRINkwgS"
     "KJ8/1"},
};

static void test_taken(void)
{
    for (size_t i = 0; i < ARRAY_LEN(taken); i++) {
        const char *refusal = auth_hash_refusal(taken[i].hash);

        CHECK_STR(taken[i].line, taken[i].name, refusal ? refusal : "", "");
        CHECK_INT(taken[i].line, taken[i].name, auth_hash_verify(taken[i].hash, "sesame"),
                  AUTH_HASH_MATCHES);
        CHECK_INT(taken[i].line, taken[i].name, auth_hash_verify(taken[i].hash, "Sesame"),
                  AUTH_HASH_DIFFERS);
        CHECK_INT(taken[i].line, taken[i].name, auth_hash_verify(taken[i].hash, ""),
                  AUTH_HASH_DIFFERS);
    }
}

static const struct {
    int line;
    const char *name, *hash, *word; /* a word of the refusal; "": accepted */
} bounds[] = {
    {__LINE__, "the most memory", "$argon2id$v=19$m=262144,t=4,p=16" ARGON2_REST, ""},
    {__LINE__, "argon2 memory", "$argon2id$v=19$m=262145,t=1,p=1" ARGON2_REST, "costs too much"},
    {__LINE__, "argon2 passes", "$argon2id$v=19$m=1024,t=1025,p=1" ARGON2_REST, "costs too much"},
    {__LINE__, "argon2 lanes", "$argon2id$v=19$m=1024,t=1,p=17" ARGON2_REST, "costs too much"},
    {__LINE__, "argon2 overflow", "$argon2id$v=19$m=4294968320,t=1,p=1" ARGON2_REST, "malformed"},
    {__LINE__, "argon2 with too little", "$argon2id$v=19$m=7,t=1,p=1" ARGON2_REST, "malformed"},
    {__LINE__, "argon2 without passes", "$argon2id$v=19$m=64,t=0,p=1" ARGON2_REST, "malformed"},
    {__LINE__, "argon2 without a hash", "$argon2id$v=19$m=64,t=1,p=1$c2FsdHNhbHRzYWx0",
     "malformed"},
    {__LINE__, "argon2 of before 1.3", "$argon2i$m=64,t=1,p=1" ARGON2_REST, "older version"},
    {__LINE__, "argon2d", "$argon2d$v=19$m=64,t=1,p=1" ARGON2_REST, "argon2id"},
    {__LINE__, "the highest bcrypt cost", "$2y$14" BCRYPT_REST, ""},
    {__LINE__, "bcrypt cost", "$2y$15" BCRYPT_REST, "costs too much"},
    {__LINE__, "bcrypt cost 31", "$2y$31" BCRYPT_REST, "costs too much"},
    {__LINE__, "bcrypt cost 3", "$2y$03" BCRYPT_REST, "malformed"},
    {__LINE__, "bcrypt cut off", "$2y$10$KBCwKxOzLha2MUDgW0PjXe", "malformed"},
    {__LINE__, "bcrypt with more behind", "$2y$10" BCRYPT_REST "x", "malformed"},
    {__LINE__, "bcrypt of crypt_blowfish's bug", "$2x$10" BCRYPT_REST, "don't know"},
    {__LINE__, "the most rounds", "$5$rounds=500000$" SHA5_REST, ""},
    {__LINE__, "SHA rounds", "$5$rounds=500001$" SHA5_REST, "costs too much"},
    {__LINE__, "SHA rounds without end", "$5$rounds=9999999999$" SHA5_REST, "malformed"},
    {__LINE__, "SHA rounds too few", "$5$rounds=999$" SHA5_REST, "malformed"},
    {__LINE__, "SHA-512 with the other's length", "$6$" SHA5_REST, "malformed"},
    {__LINE__, "the most yescrypt", "$y$jDT" YESCRYPT_REST, ""},
    {__LINE__, "yescrypt memory", "$y$jET" YESCRYPT_REST, "costs too much"},
    {__LINE__, "yescrypt memory without end", "$y$jjj" YESCRYPT_REST, "costs too much"},
    {__LINE__, "yescrypt of more parameters", "$y$j9T1." YESCRYPT_REST, "don't know"},
    {__LINE__, "yescrypt, nothing else", "$y$", "don't know"},
    {__LINE__, "yescrypt, one digit", "$y$j", "don't know"},
    {__LINE__, "GOST yescrypt", "$gy$j75" YESCRYPT_REST, "don't know"},
    {__LINE__, "Apache's MD5", "$apr1$abcdefgh$GQVaHFsauSKl0cgw4bVFJ/", "htpasswd -B"},
    {__LINE__, "MD5 crypt", "$1$k2XAnEHB$Xv7tCD7ygJuc6GPUZYDhL1", "htpasswd -B"},
    {__LINE__, "Apache's SHA-1", "{SHA}W6ph5Mm5Pz8GgiULbPgzG37mj9g=", "htpasswd -B"},
    {__LINE__, "DES", "klpM4JhxDTujM", "DES"},
    {__LINE__, "plain text", "sesame", "plain text"},
    {__LINE__, "plain text that begins like one", "$ecret", "don't know"},
    {__LINE__, "nothing", "", "plain text"},
};

static void test_bounds(void)
{
    for (size_t i = 0; i < ARRAY_LEN(bounds); i++) {
        const char *refusal = auth_hash_refusal(bounds[i].hash);

        CHECK_TRUE(bounds[i].word[0] ? refusal && strstr(refusal, bounds[i].word) : !refusal,
                   "row %d \"%s\": got \"%s\"", bounds[i].line, bounds[i].name,
                   refusal ? refusal : "taken");
    }
}

static void test_long_password(void)
{
    char password[CRYPT_MAX_PASSPHRASE_SIZE + 1];

    memset(password, 'a', sizeof(password));
    password[sizeof(password) - 1] = '\0';
    for (size_t i = 0; i < ARRAY_LEN(taken); i++)
        CHECK_INT(taken[i].line, "a password that crypt has no room for",
                  auth_hash_verify(taken[i].hash, password), AUTH_HASH_DIFFERS);
    CHECK_INT(__LINE__, "zeroed memory matches nothing", AUTH_HASH_FAILED, 0);
}

int main(void)
{
    test_taken();
    test_bounds();
    test_long_password();
    return check_end("auth_hash");
}
