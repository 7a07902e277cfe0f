import static org.junit.jupiter.api.DynamicTest.dynamicTest;

import java.nio.file.Path;
import java.util.stream.Stream;
import org.junit.jupiter.api.DynamicTest;
import org.junit.jupiter.api.TestFactory;

/** An example: each vector of a table is a test of JUnit 5. */
class ExampleTest {
  @TestFactory
  Stream<DynamicTest> index() throws Exception {
    Path table = Path.of(System.getProperty("formatgauge.tables", "../../tables/observed"), "upkg.CompactIndex.tsv");
    return FormatgaugeVectors.load(table, "").stream().map(t -> dynamicTest(t.id(), () -> t.check(ExampleReader::answer)));
  }
}
