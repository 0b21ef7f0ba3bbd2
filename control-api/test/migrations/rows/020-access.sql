update users set scope = '{"zone":"north"}', totp_secret = 'v1.sealed', totp_step = 7 where id = 'user_01jd4q6v2m8w3x5y7z9abcdefa';
insert into recovery_codes (user_id, code_digest) values ('user_01jd4q6v2m8w3x5y7z9abcdefa', 'cc01');
update sessions set address = '192.0.2.1', user_agent = 'a browser';
