"""What agents read, run and find: invented repositories with believable files and outputs."""

from emulator.narrative import Narrative

BILLING = Narrative(
    opening="I'll find where invoices are put together, then follow the amounts to the ledger.",
    steps=(
        (
            "grep",
            "round(",
            "src/billing/invoice.py:88: total = round(net * rate, 2)\n"
            "src/billing/credit.py:31: amount = round(amount)",
        ),
        (
            "read",
            "src/billing/invoice.py",
            "84  def total_of(lines, rate):\n85      net = sum(line.net "
            "for line in lines)\n86      if not lines:\n87          return None\n88      total = "
            "round(net * rate, 2)",
        ),
        (
            "read",
            "src/billing/credit.py",
            "28  def credit_note(invoice, amount):\n29      if amount > invoice.open:\n"
            "30          raise TooMuch(invoice.id)\n31      amount = round(amount)",
        ),
        ("edit", "src/billing/credit.py", "1 replacement: round(amount) → quantize(amount)"),
        (
            "bash",
            "pytest -q tests/billing",
            "..........................F....\n1 failed, 30 passed in "
            "4.12s\nFAILED tests/billing/test_credit.py::test_half_cent_is_kept",
        ),
        ("bash", "pytest -q tests/billing", "...............................\n31 passed in 3.98s"),
    ),
    remarks=(
        "Two places round on their own; that is where a cent can go missing.",
        "The credit note rounds to whole units, the invoice to cents. They cannot both be right.",
        "One test expects the old rounding. I'll read it before I touch anything else.",
        "With one rounding rule the suite is green.",
    ),
    findings=(
        "`credit.py:31` rounds to whole units and loses up to 50 cents per credit note.",
        "`invoice.py:87` answers None for an empty invoice, and the export writes it as text.",
        "31 billing tests pass after the change; no public name changed.",
    ),
)

SECURITY = Narrative(
    opening="First the entry points, then everything that reaches a file or a shell from there.",
    steps=(
        ("glob", "src/**/views.py", "src/files/views.py\nsrc/reports/views.py"),
        (
            "grep",
            "subprocess",
            "src/reports/render.py:52: subprocess.run(command, shell=True)\n"
            'src/tools/backup.py:19: subprocess.run(["pg_dump", name])',
        ),
        (
            "read",
            "src/reports/render.py",
            "49  def render(report, name):\n50      command = "
            'f"wkhtmltopdf {report.path} {name}"\n51      log.info(command)\n52      '
            "subprocess.run(command, shell=True)",
        ),
        (
            "read",
            "src/files/views.py",
            "17  def download(request, name):\n18      path = ROOT / "
            "name\n19      return FileResponse(path.open('rb'))",
        ),
        ("bash", "python -m pytest -q -k traversal", "no tests ran in 0.31s"),
        ("edit", "src/files/views.py", "2 replacements: path is resolved and must be below ROOT"),
    ),
    remarks=(
        "Only one call goes through a shell, and its argument comes from the request.",
        "`download` joins a name from the URL without resolving it.",
        "Nothing tests traversal at all, so I add one case before the fix.",
        "The fix is small; the report template has the same habit and needs the same care.",
    ),
    findings=(
        "`reports/render.py:52` lets a report name run a command; pass a list instead.",
        "`files/views.py:18` serves any readable file through `..`; fixed and covered.",
        "Accounts views check ownership on every read; nothing to change there.",
    ),
)

TESTS = Narrative(
    opening="I'll run the suite as it is, then look at what is slow and what is never asserted.",
    steps=(
        (
            "bash",
            "pytest -q --durations=5",
            "214 passed, 3 skipped in 48.20s\n9.02s call "
            "tests/test_sync.py::test_retries\n6.11s call tests/test_sync.py::test_gives_up",
        ),
        (
            "read",
            "tests/test_sync.py",
            "40  def test_retries(client):\n41      client.fail(3)\n42      "
            "start = time.time()\n43      sync(client)\n44      assert time.time() - start > 8",
        ),
        (
            "grep",
            "time.sleep",
            "src/sync/worker.py:27: time.sleep(2 ** attempt)\n"
            "tests/conftest.py:15: time.sleep(0.5)",
        ),
        (
            "edit",
            "src/sync/worker.py",
            "1 replacement: sleep is a parameter with time.sleep as default",
        ),
        ("edit", "tests/test_sync.py", "3 replacements: the delays are asserted, not waited for"),
        ("bash", "pytest -q", "215 passed, 3 skipped in 17.44s"),
    ),
    remarks=(
        "Two tests take a third of the whole time, and they only wait.",
        "The test measures the clock although it wants to know the delays.",
        "Handing the sleep in makes both tests instant and more exact.",
        "The three skipped tests have been skipped for a reason that no longer holds.",
    ),
    findings=(
        "The suite went from 48.2 s to 17.4 s by handing the sleep in.",
        '`test_retries` now asserts 1, 2 and 4 s instead of "more than 8 s".',
        "Three skips can go once the fixture for the second region is back.",
    ),
)

DOCS = Narrative(
    opening="I'll compare what the pages promise with what the commands really do.",
    steps=(
        (
            "glob",
            "docs/**/*.md",
            "docs/install.md\ndocs/first-steps.md\ndocs/deploy.md\ndocs/faq.md",
        ),
        (
            "read",
            "docs/install.md",
            "12  pip install harbor\n13  harbor init --region eu\n14  harbor up --detach",
        ),
        (
            "bash",
            "harbor init --help",
            "usage: harbor init [--zone ZONE] [--force]\n\n  --zone ZONE  "
            "where to keep the data (default: home)",
        ),
        (
            "grep",
            "--region",
            "docs/install.md:13\ndocs/deploy.md:41\nsrc/harbor/cli.py:88: # --region "
            "was renamed to --zone in 2.4",
        ),
        ("edit", "docs/install.md", "1 replacement: --region → --zone"),
        (
            "bash",
            "python tools/check_links.py docs",
            "37 links, 36 fine\ndocs/faq.md:9 → deploy.md#rollback: no such heading",
        ),
    ),
    remarks=(
        "The page still names an option that was renamed.",
        "`deploy.md` has the same line, so a reader fails twice.",
        "One link points at a heading that does not exist any more.",
        "The pages now match the help texts word for word.",
    ),
    findings=(
        "`--region` became `--zone` in 2.4; two pages still said the old name.",
        "`faq.md:9` links to a heading that is gone; it should be `#going-back`.",
        "Every command on the pages was run once and does what is written.",
    ),
)

UPGRADE = Narrative(
    opening="I'll see what is pinned, what moved on, and who uses the parts that changed.",
    steps=(
        (
            "read",
            "requirements.txt",
            "asyncpg==0.27.0\nhttpx==0.24.1\npydantic==1.10.13\nuvicorn==0.22.0",
        ),
        (
            "bash",
            "pip list --outdated",
            "httpx     0.24.1   0.28.1\npydantic  1.10.13  2.11.4\nuvicorn   0.22.0   0.34.0",
        ),
        (
            "grep",
            "@validator",
            "src/models/order.py:21\nsrc/models/order.py:34\nsrc/models/user.py:18",
        ),
        ("edit", "src/models/order.py", "2 replacements: @validator → @field_validator"),
        ("edit", "src/models/user.py", "1 replacement: @validator → @field_validator"),
        ("bash", "pytest -q -x", "128 passed in 11.05s"),
    ),
    remarks=(
        "Only one of the four has breaking changes that touch us.",
        "Three validators use the old form; the rest is plain fields.",
        "The client library's `proxies` argument is gone, but nothing here passes it.",
        "Everything passes on the new versions.",
    ),
    findings=(
        "Three validators moved to the new form; behaviour is covered by 14 tests.",
        "`proxies=` is not used anywhere, so the client upgrade is free.",
        "Pins are raised in one commit; the lock file needs to be made again.",
    ),
)

LATENCY = Narrative(
    opening="I'll measure before I guess: where the time goes for one request.",
    steps=(
        (
            "bash",
            "python bench/list_orders.py",
            "100 requests: p50 412 ms, p95 980 ms, 203 queries each",
        ),
        (
            "read",
            "src/orders/listing.py",
            "31  for order in page:\n32      rows.append((order, "
            "order.customer.name, order.items.count()))",
        ),
        ("grep", "select_related", "src/orders/detail.py:14\nsrc/customers/listing.py:22"),
        (
            "edit",
            "src/orders/listing.py",
            "2 replacements: customer joined, items counted in the query",
        ),
        (
            "bash",
            "python bench/list_orders.py",
            "100 requests: p50 38 ms, p95 71 ms, 3 queries each",
        ),
        ("bash", "pytest -q tests/orders", "64 passed in 6.40s"),
    ),
    remarks=(
        "Two hundred queries for one page: the loop asks for each row.",
        "The detail page already joins the customer; the list never did.",
        "Counting in the query removes the second hundred.",
        "A test now pins the number of queries, so it cannot creep back.",
    ),
    findings=(
        "The list page went from 203 queries to 3, p95 from 980 ms to 71 ms.",
        "`listing.py:32` was the only loop that asked the database per row.",
        "A query-count test guards it from now on.",
    ),
)
