package net.shrimpworks.unreal.packages;

import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.PrintStream;
import java.nio.BufferUnderflowException;
import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Collectors;
import java.util.stream.IntStream;
import java.util.stream.Stream;

import net.shrimpworks.unreal.packages.entities.Export;
import net.shrimpworks.unreal.packages.entities.Import;
import net.shrimpworks.unreal.packages.entities.Name;
import net.shrimpworks.unreal.packages.entities.ObjectReference;

/**
 * Adapter for unreal-package-lib.
 * <p>
 * The library is compiled as it is and reads everything. It reads rows of
 * tables only as a part of a package, so a lone row is put at the end of a
 * package with filled tables. It resolves indices of names to names: these are
 * told apart by identity, since a resolved name shares its text with the table.
 */
public class Adapter {

	private static final List<String> TYPES = List.of("upkg.CompactIndex", "upkg.Name", "upkg.ObjectReference",
		"upkg.NameEntry", "upkg.ImportEntry", "upkg.ExportEntry", "upkg.Package");
	private static final String HELLO = """
		{"protocol": "1", "name": "unreal-package-lib", "version": "fd1cf96", "language": "Java", "operations": ["decode"],\
		 "profile": "observed,upkg.name-length-kind=documented,upkg.name-terminator=keep,upkg.ref-range=strict,upkg.tag=strict", "views": ["upkg.tables", "upkg.short-header", "upkg.no-heritages", "upkg.name-texts"], "types": [%s], "skips": [\
		{"type": "upkg.Header", "reason": "the library reads a header together with the tables, and keeps three of its fields"},\
		{"type": "upkg.Integer", "reason": "plain integers are read by java.nio.ByteBuffer"}]}"""
		.formatted(TYPES.stream().map(Adapter::quote).collect(Collectors.joining(", ")));

	/** Rows in each table of the package around a lone row: more than any vector refers to that is not at a limit. */
	private static final int ROWS = 300;

	private static final String EXISTING = "outside a package there is no row to resolve it to";

	private static class Skip extends RuntimeException {
		Skip(String reason) {
			super(reason);
		}
	}

	/** A reader that remembers to where it went, and where it was before. */
	private static class Reader extends PackageReader {
		final List<Long> starts = new ArrayList<>();
		final List<Integer> ends = new ArrayList<>();

		Reader(Path file) throws IOException {
			super(file);
		}

		@Override
		public void moveTo(long pos) {
			ends.add(currentPosition());
			starts.add(pos);
			super.moveTo(pos);
		}
	}

	/** A tree and the position after it. */
	private record Read(String tree, int end) {}

	private final Path input = Files.createTempFile("adapter", ".u");
	private final Package surroundings;

	private Adapter() throws IOException {
		input.toFile().deleteOnExit();
		surroundings = new Package(open(around(69, IMPORTS, new byte[7])));
	}

	private Reader open(byte[] data) throws IOException {
		return new Reader(Files.write(input, data));
	}

	public static void main(String[] args) throws IOException {
		PrintStream out = new PrintStream(System.out, false, StandardCharsets.UTF_8);
		BufferedReader in = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
		Adapter adapter = new Adapter();
		for (String line; (line = in.readLine()) != null; out.flush()) {
			String id = find(line, "\"id\":\\s*(\\d+)");
			out.print("{\"id\": " + id + ", " + adapter.answer(line) + "}\n");
		}
	}

	// --- requests: one line of JSON, of which a few fields are wanted

	private static String find(String line, String pattern) {
		Matcher m = Pattern.compile(pattern).matcher(line);
		return m.find() ? m.group(1).replaceAll("\\\\(.)", "$1") : null;
	}

	private static String text(String line, String key) {
		// Possessive, so that a long text does not go deep.
		return find(line, "\"" + key + "\":\\s*\"([^\"\\\\]*+(?:\\\\.[^\"\\\\]*+)*+)\"");
	}

	private String answer(String line) {
		String op = text(line, "op"), type = text(line, "type");
		if ("hello".equals(op)) return "\"hello\": " + HELLO;
		if (!"decode".equals(op) || !TYPES.contains(type)) return skip("not in the list of hello");
		try {
			String file = text(line, "file"), version = text(line, "version");
			byte[] data = file == null ? HexFormat.of().parseHex(text(line, "hex")) : Files.readAllBytes(Path.of(file));
			Read read = decode(type, data, version == null ? 69 : Integer.parseInt(version));
			if (read.end < data.length) return reject("trailing", ", \"offset\": " + read.end, "the library stopped here");
			return "\"ok\": {\"tree\": " + read.tree + "}";
		} catch (Skip e) {
			return skip(e.getMessage());
		} catch (BufferUnderflowException e) {
			return reject("truncated", "", e.toString());
		} catch (ArrayIndexOutOfBoundsException e) {
			// The library looks up rows without a check. In readString it is its own buffer that is too short.
			if (Stream.of(e.getStackTrace()).anyMatch(f -> f.getMethodName().equals("readString"))) return error(e);
			return type.equals("upkg.Package") ? reject("reference", "", e.toString()) : skip(EXISTING);
		} catch (IllegalArgumentException e) {
			String message = String.valueOf(e.getMessage());
			if (message.contains("does not seem to be an Unreal package")) return reject("magic", "", message);
			if (message.contains("Impossible to fill buffer")) return reject("limit", "", message);
			return error(e);
		} catch (IllegalStateException e) {
			// Version 0 stands for a version that is not known.
			return reject("version", "", e.toString());
		} catch (IOException | RuntimeException | OutOfMemoryError e) {
			return error(e);
		}
	}

	private static String skip(String reason) {
		return "\"skip\": {\"reason\": " + quote(reason) + "}";
	}

	private static String error(Throwable e) {
		return "\"error\": {\"message\": " + quote(e.toString()) + "}";
	}

	private static String reject(String kind, String offset, String message) {
		return "\"reject\": {\"class\": " + quote(kind) + offset + ", \"message\": " + quote(message) + "}";
	}

	private static String quote(String s) {
		return s.chars().mapToObj(c -> c == '"' || c == '\\' ? "\\" + (char)c : c >= ' ' && c < 127 ? "" + (char)c : String.format("\\u%04x", c))
				.collect(Collectors.joining("", "\"", "\""));
	}

	// --- reading

	private Read decode(String type, byte[] data, int version) throws IOException {
		if (type.equals("upkg.Package")) return whole(data);
		if (type.equals("upkg.NameEntry")) {
			return row(version, NAMES, data, p -> entry(p.names[0], version));
		}
		if (type.equals("upkg.ExportEntry")) return row(69, EXPORTS, data, p -> export(p, p.exports[ROWS]));
		if (type.equals("upkg.ImportEntry")) return row(69, IMPORTS, data, p -> imported(p, p.imports[ROWS]));
		try (Reader reader = open(data)) {
			reader.version = version;
			reader.moveTo(0);
			String tree;
			if (type.equals("upkg.Name")) tree = name(reader.readString(), version);
			else {
				int index = reader.readIndex();
				tree = type.equals("upkg.CompactIndex") ? number(index) : reference(surroundings, new ObjectReference(surroundings, index));
			}
			return new Read(tree, reader.currentPosition());
		}
	}

	private interface Fields {
		String of(Package p);
	}

	/** The bytes as the last row of a table. */
	private Read row(int version, int table, byte[] data, Fields fields) throws IOException {
		byte[] file = around(version, table, data);
		try (Reader reader = open(file)) {
			Package p = new Package(reader);
			reader.moveTo(0);
			// The library moved to the start of the file and to each table; after the table it left from its end.
			return new Read("{" + fields.of(p) + "}", reader.ends.get(table + 2) - file.length + data.length);
		}
	}

	private Read whole(byte[] data) throws IOException {
		try (Reader reader = open(data)) {
			Package p = new Package(reader);
			List<Long> at = reader.starts; // of the file, names, exports, imports
			String header = "\"signature\": " + bits(Package.PKG_SIGNATURE) + ", \"version\": " + number(p.version)
							+ ", \"licensee\": " + number(p.license) + ", \"flags\": " + bits(p.flags)
							+ ", \"nameCount\": " + number(p.names.length) + ", \"nameOffset\": " + bits(at.get(1))
							+ ", \"exportCount\": " + number(p.exports.length) + ", \"exportOffset\": " + bits(at.get(2))
							+ ", \"importCount\": " + number(p.imports.length) + ", \"importOffset\": " + bits(at.get(3));
			// Neither heritage nor identity is kept, nor what lies between the tables.
			String tree = "{\"header\": {" + header + "}"
						  + list("names", Stream.of(p.names).map(n -> entry(n, p.version)))
						  + list("imports", Stream.of(p.imports).map(i -> imported(p, i)))
						  + list("exports", Stream.of(p.exports).map(e -> export(p, e))) + "}";
			return new Read(tree, data.length);
		}
	}

	private static String list(String field, Stream<String> rows) {
		return ", \"" + field + "\": [" + rows.map(row -> "{" + row + "}").collect(Collectors.joining(", ")) + "]";
	}

	private static String number(long n) {
		return quote(String.valueOf(n));
	}

	/** Flags and offsets have no sign, but int has one, and long where the library reads int into it. */
	private static String bits(long n) {
		return quote(n == (int)n ? Integer.toUnsignedString((int)n) : Long.toUnsignedString(n));
	}

	/** From 118 on a name may be UTF-16, and the library does not tell. */
	private static String name(String text, int version) {
		return "{\"text\": " + quote(text) + (version < 118 ? ", \"wide\": false" : "") + "}";
	}

	private static String entry(Name row, int version) {
		return "\"name\": " + name(row.name, version) + ", \"flags\": " + bits(row.flags);
	}

	private static String imported(Package p, Import row) {
		return "\"classPackage\": " + index(p, row.classPackage) + ", \"className\": " + index(p, row.className)
			   + ", \"package\": " + reference(p, row.packageIndex) + ", \"objectName\": " + index(p, row.name);
	}

	private static String export(Package p, Export row) {
		return "\"class\": " + reference(p, row.classIndex) + ", \"super\": " + reference(p, row.classSuperIndex)
			   + ", \"group\": " + reference(p, row.groupIndex) + ", \"objectName\": " + index(p, row.name)
			   + ", \"objectFlags\": " + bits(row.flags) + ", \"serialSize\": " + number(row.size)
			   + ", \"serialOffset\": " + (row.size > 0 ? number(row.pos) : "null");
	}

	/** Null if several names share the text. */
	private static String index(Package p, Name name) {
		int[] found = IntStream.range(0, p.names.length).filter(i -> p.names[i].name == name.name).toArray();
		return found.length == 1 ? number(found[0]) : "null";
	}

	private static String reference(Package p, ObjectReference reference) {
		Object row;
		try {
			row = reference.get(true);
		} catch (ArrayIndexOutOfBoundsException e) {
			throw new Skip(EXISTING);
		}
		if (reference.index == 0) return "{\"table\": \"null\", \"entry\": \"0\"}";
		Object[] table = row instanceof Import ? p.imports : p.exports;
		int entry = IntStream.range(0, table.length).filter(i -> table[i] == row).findFirst().orElseThrow();
		return "{\"table\": " + (row instanceof Import ? "\"import\"" : "\"export\"") + ", \"entry\": " + number(entry) + "}";
	}

	// --- the package around a lone row

	private static final int NAMES = 0, EXPORTS = 1, IMPORTS = 2; // in the order in which the library reads them

	/**
	 * The file of a package with filled tables. Its last table, with one row more, ends with the given bytes. Around a
	 * name the tables are empty: what the library takes for a name depends on the version.
	 */
	private static byte[] around(int version, int last, byte[] data) {
		int count = last == NAMES ? 0 : ROWS;
		byte[][] rows = {{2, 'n', 0, 0, 0, 0, 0}, new byte[12], new byte[7]};
		ByteBuffer b = ByteBuffer.allocate(56 + ROWS * 32 + data.length).order(ByteOrder.LITTLE_ENDIAN);
		b.putInt(Package.PKG_SIGNATURE).putShort((short)version).position(version < 68 ? 44 : 56);
		for (int i = 1; i <= 3; i++) {
			int table = (last + i) % 3;
			b.putInt(12 + 8 * table, table == last ? count + 1 : count).putInt(16 + 8 * table, b.position());
			for (int row = 0; row < count; row++) b.put(rows[table]);
		}
		return Arrays.copyOf(b.array(), b.put(data).position());
	}
}
