#!/bin/sh
# Starts the Redis of compose.yaml (the command in the arguments) with one user for web and one for worker. Their passwords are
# generated at the first start. Each process reads its URL, including the password, from a volume that only it and Redis mount.
# Redis, web and worker run as other users than this script, which the image starts with umask 077: what they read must be
# made readable for all.
set -eu
addresses=${ADDRESSES:-/run/redis}
users=${USERS:-/tmp/users.acl}

password_of() {
  file=$addresses/$1/url
  if [ ! -s "$file" ]; then
    made=$(od -An -N24 -tx1 /dev/urandom | tr -d ' \n')
    echo "redis://$1:$made@redis:6379" > "$file.new"
    chmod a+r "$file.new"
    mv "$file.new" "$file"
  fi
  sed 's/^redis:[^:]*:\([^@]*\)@.*$/\1/' "$file"
}

# The keys of each card program in PROGRAMS have its name in front.
copies=
for program in $(echo "${PROGRAMS:-}" | tr ',' ' '); do copies="$copies \\1~$program:\\2"; done

web=$(password_of web)
worker=$(password_of worker)
sed -E -e "s/ (%R)?~(\{[^ ]+)/ \\1~\\2$copies/g" -e "s/WEB-PASSWORD/$web/" -e "s/WORKER-PASSWORD/$worker/" \
  "$(dirname "$0")/users.acl" > "$users"
chmod a+r "$users"
exec "$@"
