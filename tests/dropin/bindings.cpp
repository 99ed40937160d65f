// Debian's C++ binding: files, groups, datasets with filters, attributes, compound and variable-length types, exceptions.
#include <H5Cpp.h>

#include <cstddef>
#include <cstdio>
#include <iostream>
#include <string>
#include <vector>

using namespace H5;

struct Record {
    int id;
    double value;
    char name[8];
};

static CompType record_type()
{
    CompType type(sizeof(Record));
    type.insertMember("id", HOFFSET(Record, id), PredType::NATIVE_INT);
    type.insertMember("value", HOFFSET(Record, value), PredType::NATIVE_DOUBLE);
    type.insertMember("name", HOFFSET(Record, name), StrType(PredType::C_S1, 8));
    return type;
}

static void make(const std::string &path)
{
    H5File file(path, H5F_ACC_TRUNC);
    Group group = file.createGroup("/group");
    group.createGroup("inner");
    hsize_t dims[2] = {20, 30}, most[2] = {H5S_UNLIMITED, 30}, chunk[2] = {8, 8};
    DSetCreatPropList how;
    how.setChunk(2, chunk);
    how.setShuffle();
    how.setDeflate(5);
    int fill = -1;
    how.setFillValue(PredType::NATIVE_INT, &fill);
    DataSet grid = group.createDataSet("grid", PredType::STD_I32BE, DataSpace(2, dims, most), how);
    std::vector<int> values(600);
    for (int i = 0; i < 600; i++)
        values[i] = i * i;
    grid.write(values.data(), PredType::NATIVE_INT);
    dims[0] = 25;
    grid.extend(dims);
    StrType text(PredType::C_S1, H5T_VARIABLE);
    grid.createAttribute("units", text, DataSpace()).write(text, std::string("metres"));
    hsize_t n = 3;
    Record records[3] = {{1, 0.5, "one"}, {2, 0.25, "two"}, {3, -1e100, "three"}};
    file.createDataSet("records", record_type(), DataSpace(1, &n)).write(records, record_type());
    const char *words[3] = {"a", "", "longer than the others"};
    file.createDataSet("words", text, DataSpace(1, &n)).write(words, text);
    file.link(H5L_TYPE_SOFT, "/group/grid", "soft");
    file.link(H5L_TYPE_HARD, "/records", "/group/hard");
}

static void show(const std::string &path)
{
    H5File file(path, H5F_ACC_RDONLY);
    for (hsize_t i = 0; i < file.getNumObjs(); i++)
        std::cout << file.getObjnameByIdx(i) << " " << file.childObjType(i) << "\n";
    DataSet grid = file.openDataSet("soft");
    hsize_t dims[2], start[2] = {18, 3}, count[2] = {4, 5};
    grid.getSpace().getSimpleExtentDims(dims);
    DataSpace part = grid.getSpace(), memory(2, count);
    part.selectHyperslab(H5S_SELECT_SET, count, start);
    int values[20];
    grid.read(values, PredType::NATIVE_INT, memory, part);
    std::cout << dims[0] << " x " << dims[1] << ":";
    for (int value : values)
        std::cout << " " << value;
    std::string units;
    Attribute attribute = grid.openAttribute("units");
    attribute.read(attribute.getStrType(), units);
    std::cout << " " << units << " filters " << grid.getCreatePlist().getNfilters() << "\n";
    Record records[3];
    file.openDataSet("/group/hard").read(records, record_type());
    for (const Record &r : records)
        std::cout << r.id << " " << r.value << " " << r.name << "\n";
    char *words[3];
    file.openDataSet("words").read(words, StrType(PredType::C_S1, H5T_VARIABLE));
    for (char *word : words)
        std::cout << "'" << word << "'\n";
}

int main(int, char **argv)
{
    Exception::dontPrint();
    try {
        if (std::string(argv[1]) == "make")
            make(argv[2]);
        else
            show(argv[2]);
        H5File("/nowhere/at.h5", H5F_ACC_RDONLY);
    } catch (const FileIException &problem) {
        std::cout << "as it should: " << problem.getFuncName() << "\n";
        return 0;
    } catch (const Exception &problem) {
        std::cout << problem.getFuncName() << ": " << problem.getDetailMsg() << "\n";
    }
    return 1;
}
