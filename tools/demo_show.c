/* Progress bars and numbers. */
#include <langinfo.h>
#include <locale.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "demo.h"

#define BAR_WIDTH 32
#define DRAW_EVERY 0.05 /* seconds */

static struct {
    bool asked, terminal, fine; /* fine: the terminal shows more than ASCII */
    size_t drawn;               /* lines of bars there are */
    double last;
} screen;

static void ask_terminal(void)
{
    const char *term = getenv("TERM");
    screen.asked = true;
    screen.terminal = isatty(STDOUT_FILENO) && term && strcmp(term, "dumb") != 0;
    setlocale(LC_CTYPE, "");
    screen.fine = strcmp(nl_langinfo(CODESET), "UTF-8") == 0;
}

const char *with_commas(char out[32], unsigned long long number)
{
    char digits[24];
    int n = snprintf(digits, sizeof digits, "%llu", number), k = 0;
    for (int i = 0; i < n; i++) {
        if (i > 0 && (n - i) % 3 == 0)
            out[k++] = ',';
        out[k++] = digits[i];
    }
    out[k] = '\0';
    return out;
}

static void draw(const struct bar *bar)
{
    char done[32], total[32];
    hsize_t full = bar->total ? bar->done * BAR_WIDTH / bar->total : BAR_WIDTH;
    printf("  %-10s ", bar->label);
    for (hsize_t i = 0; i < BAR_WIDTH; i++)
        fputs(screen.fine ? (i < full ? "█" : "░") : (i < full ? "#" : "."), stdout);
    printf("  %s of %s\n", with_commas(done, bar->done), with_commas(total, bar->total));
}

void show_bars(const struct bar *bars, size_t n)
{
    double now = seconds_now();
    bool all = true;
    if (!screen.asked)
        ask_terminal();
    for (size_t i = 0; i < n; i++)
        all = all && bars[i].done == bars[i].total;
    if (!screen.terminal || (screen.drawn && !all && now - screen.last < DRAW_EVERY))
        return;
    leave_bars();
    if (all)
        return;
    for (size_t i = 0; i < n; i++)
        draw(&bars[i]);
    fflush(stdout);
    screen.last = now;
    screen.drawn = n;
}

void leave_bars(void)
{
    if (screen.drawn)
        printf("\033[%zuA\033[J", screen.drawn);
    fflush(stdout);
    screen.drawn = 0;
}
