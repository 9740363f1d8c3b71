import NodeLogic
import Testing

func testMatrix(_ text: String) throws -> MountMatrix { try #require(MountMatrix(text)) }
