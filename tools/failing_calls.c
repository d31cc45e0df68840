/* Calls that change files, counted: the given one fails or ends the process, or all are recorded (tools/fail_calls.py).
 *
 * Preloaded before the C library, so that Python, DuckDB, SQLite and Arrow all pass through it. Only files below one
 * folder count. A record has a line with the call and its arguments, and after it the bytes of a write. */
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <unistd.h>
#include <pthread.h>

enum { COUNT, FAIL_ONCE, FAIL_ON, FULL_ON, KILL };

static atomic_int calls, mode, target;
static char root[PATH_MAX], failed[64];
static int record = -1;
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* Start counting the calls on files below `folder`; the call `number` (from 1) fails in the way `how`. */
void faults_arm(const char *folder, int number, int how) {
    snprintf(root, sizeof root, "%s/", folder);
    failed[0] = 0;
    calls = 0;
    target = number;
    mode = how;
}

int faults_count(void) { return calls; }
const char *faults_failed(void) { return failed; }

void faults_record(const char *file) {
    record = syscall(SYS_openat, AT_FDCWD, file, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0600);
}

static void append(const void *data, size_t size) {
    for (const char *at = data; size;) {
        ssize_t done = syscall(SYS_write, record, at, size);
        if (done <= 0) abort();
        at += done, size -= done;
    }
}

static void keep(const char *what, const char *a, const char *b, long long offset, const void *data, size_t size) {
    if (record < 0) return;
    char line[3 * PATH_MAX];
    int length = snprintf(line, sizeof line, "%s\t%s\t%s\t%lld\t%zu\n", what, a, b, offset, size);
    pthread_mutex_lock(&one_at_a_time);
    append(line, length);
    if (data) append(data, size);
    pthread_mutex_unlock(&one_at_a_time);
}

/* What the process has acknowledged by now. */
void faults_note(const char *text) { keep("note", text, "", 0, NULL, 0); }

static int below(const char *path) { return root[0] && !strncmp(path, root, strlen(root)); }

static int full_path(int folder, const char *path, char *found) {
    if (path[0] == '/') {
        snprintf(found, PATH_MAX, "%s", path);
    } else {
        char link[64], base[PATH_MAX];
        snprintf(link, sizeof link, "/proc/self/fd/%d", folder);
        if (folder == AT_FDCWD) {
            if (!getcwd(base, sizeof base)) return 0;
        } else {
            ssize_t size = readlink(link, base, sizeof base - 1);
            if (size < 0) return 0;
            base[size] = 0;
        }
        if (snprintf(found, PATH_MAX, "%s/%s", base, path) >= PATH_MAX) return 0;
    }
    return below(found);
}

static int path_of(int file, char *found) {
    if (!root[0]) return 0;
    char link[64];
    snprintf(link, sizeof link, "/proc/self/fd/%d", file);
    ssize_t size = readlink(link, found, PATH_MAX - 1);
    if (size < 0) return 0;
    found[size] = 0;
    /* The folder itself is flushed, too. */
    if (!strncmp(found, root, strlen(root) - 1) && found[strlen(root) - 1] == 0) return 1;
    return below(found);
}

/* Count a call; 1 if it has to fail, with errno set. */
static int fails(const char *what, const char *path, int uses_space) {
    int number = ++calls, how = mode;
    int hit = how == FAIL_ON || how == FULL_ON ? target && number >= target : number == target;
    if (how == COUNT || !hit) return 0;
    if (how == FULL_ON && !uses_space) return 0;
    if (!failed[0]) {
        const char *name = strrchr(path, '/');
        snprintf(failed, sizeof failed, "%s %.40s", what, name ? name + 1 : path);
    }
    if (how == KILL) kill(getpid(), SIGKILL);
    errno = how == FULL_ON ? ENOSPC : EIO;
    return 1;
}

static int open_in(int folder, const char *path, int flags, mode_t mode_, const char *what) {
    char found[PATH_MAX];
    int changes = flags & (O_CREAT | O_TRUNC | O_WRONLY | O_RDWR);
    int counted = full_path(folder, path, found);
    int existed = counted && faccessat(AT_FDCWD, found, F_OK, 0) == 0;
    if (counted && fails(what, found, (flags & O_CREAT) && !existed)) return -1;
    int file = syscall(SYS_openat, folder, path, flags, mode_);
    if (counted && file >= 0 && changes) {
        if (!existed && (flags & O_CREAT)) keep("create", found, "", 0, NULL, 0);
        else if (flags & O_TRUNC) keep("truncate", found, "", 0, NULL, 0);
    }
    return file;
}

#define OPEN_MODE(flags) \
    mode_t mode_ = 0; \
    if ((flags) & (O_CREAT | __O_TMPFILE)) { va_list given; va_start(given, flags); mode_ = va_arg(given, mode_t); va_end(given); }

int open(const char *path, int flags, ...) { OPEN_MODE(flags) return open_in(AT_FDCWD, path, flags, mode_, "open"); }
int open64(const char *path, int flags, ...) { OPEN_MODE(flags) return open_in(AT_FDCWD, path, flags | O_LARGEFILE, mode_, "open"); }
int openat(int folder, const char *path, int flags, ...) { OPEN_MODE(flags) return open_in(folder, path, flags, mode_, "open"); }
int openat64(int folder, const char *path, int flags, ...) { OPEN_MODE(flags) return open_in(folder, path, flags | O_LARGEFILE, mode_, "open"); }

static long long place_of(int file) {
    struct stat status;
    int flags = fcntl(file, F_GETFL);
    if (flags >= 0 && (flags & O_APPEND) && !fstat(file, &status)) return status.st_size;
    return lseek(file, 0, SEEK_CUR);
}

ssize_t write(int file, const void *data, size_t size) {
    char found[PATH_MAX];
    if (file <= 2 || !path_of(file, found)) return syscall(SYS_write, file, data, size);
    if (fails("write", found, 1)) return -1;
    long long at = place_of(file);
    ssize_t done = syscall(SYS_write, file, data, size);
    if (done > 0) keep("write", found, "", at, data, done);
    return done;
}

static ssize_t write_at(int file, const void *data, size_t size, off64_t at) {
    char found[PATH_MAX];
    int counted = path_of(file, found);
    if (counted && fails("write", found, 1)) return -1;
    ssize_t done = syscall(SYS_pwrite64, file, data, size, at);
    if (counted && done > 0) keep("write", found, "", at, data, done);
    return done;
}

ssize_t pwrite(int file, const void *data, size_t size, off_t at) { return write_at(file, data, size, at); }
ssize_t pwrite64(int file, const void *data, size_t size, off64_t at) { return write_at(file, data, size, at); }

static int flush_of(int file, long number, const char *what) {
    char found[PATH_MAX];
    int counted = path_of(file, found);
    if (counted && fails(what, found, 0)) return -1;
    int done = syscall(number, file);
    if (counted && !done) keep("fsync", found, "", 0, NULL, 0);
    return done;
}

int fsync(int file) { return flush_of(file, SYS_fsync, "fsync"); }
int fdatasync(int file) { return flush_of(file, SYS_fdatasync, "fsync"); }

static int cut(int file, off64_t size) {
    char found[PATH_MAX];
    int counted = path_of(file, found);
    if (counted && fails("truncate", found, 0)) return -1;
    int done = syscall(SYS_ftruncate, file, size);
    if (counted && !done) keep("truncate", found, "", size, NULL, 0);
    return done;
}

int ftruncate(int file, off_t size) { return cut(file, size); }
int ftruncate64(int file, off64_t size) { return cut(file, size); }

static int rename_in(int from, const char *old, int to, const char *new, unsigned flags) {
    char a[PATH_MAX], b[PATH_MAX];
    int counted = full_path(from, old, a) | full_path(to, new, b);
    if (counted && fails("rename", b, 0)) return -1;
    int done = syscall(SYS_renameat2, from, old, to, new, flags);
    if (counted && !done) keep(flags & 2 ? "exchange" : "rename", a, b, 0, NULL, 0);
    return done;
}

int rename(const char *old, const char *new) { return rename_in(AT_FDCWD, old, AT_FDCWD, new, 0); }
int renameat(int from, const char *old, int to, const char *new) { return rename_in(from, old, to, new, 0); }
int renameat2(int from, const char *old, int to, const char *new, unsigned flags) { return rename_in(from, old, to, new, flags); }

static int unlink_in(int folder, const char *path, int flags) {
    char found[PATH_MAX];
    int counted = full_path(folder, path, found);
    if (counted && fails(flags ? "rmdir" : "unlink", found, 0)) return -1;
    int done = syscall(SYS_unlinkat, folder, path, flags);
    if (counted && !done) keep(flags ? "rmdir" : "unlink", found, "", 0, NULL, 0);
    return done;
}

int unlink(const char *path) { return unlink_in(AT_FDCWD, path, 0); }
int unlinkat(int folder, const char *path, int flags) { return unlink_in(folder, path, flags); }
int remove(const char *path) {
    struct stat status;
    int is_folder = !lstat(path, &status) && S_ISDIR(status.st_mode);
    return unlink_in(AT_FDCWD, path, is_folder ? AT_REMOVEDIR : 0);
}
int rmdir(const char *path) { return unlink_in(AT_FDCWD, path, AT_REMOVEDIR); }

int mkdir(const char *path, mode_t mode_) {
    char found[PATH_MAX];
    int counted = full_path(AT_FDCWD, path, found);
    if (counted && fails("mkdir", found, 1)) return -1;
    int done = syscall(SYS_mkdirat, AT_FDCWD, path, mode_);
    if (counted && !done) keep("mkdir", found, "", 0, NULL, 0);
    return done;
}
